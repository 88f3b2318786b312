// The command `sunmao completion`: prints a script with which a shell completes commands, options and their values.
#include <fmt/ranges.h>

#include "cli/command.h"
#include "cli/completion_table.h"
#include "cli/console.h"

namespace sunmao::cli {
namespace {

/// Replaces each of the characters by a backslash and itself.
std::string escaped(const std::string& text, std::string_view characters) {
  std::string out;
  for (const char c : text) {
    if (characters.find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

// A string in single quotes for sh, bash and zsh.
std::string quoted_word(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

constexpr const char* kBashBegin = R"(# Completion of sunmao in bash: source <(sunmao completion bash)
_sunmao_words() {
  local before=
  if [[ $1 == list && $cur == *,* ]]; then before=${cur%,*},; fi
  COMPREPLY=($(compgen -P "$before" -W "$2" -- "${cur#"$before"}"))
}
_sunmao_files() {
  local IFS=$'\n' extension
  compopt -o filenames 2>/dev/null
  if [[ $# == 0 ]]; then COMPREPLY=($(compgen -f -- "$cur")); return; fi
  COMPREPLY=($(compgen -d -- "$cur"; for extension in "$@"; do compgen -f -X "!*.$extension" -- "$cur"; done))
}
_sunmao_folders() {
  local IFS=$'\n'
  compopt -o filenames 2>/dev/null
  COMPREPLY=($(compgen -d -- "$cur"))
}
_sunmao() {
  local cur=${COMP_WORDS[COMP_CWORD]} option=${COMP_WORDS[COMP_CWORD-1]} command= i
  if [[ $cur == = ]]; then cur=; elif [[ $option == = ]]; then option=${COMP_WORDS[COMP_CWORD-2]}; fi
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; ++i)); do
    if [[ ${COMP_WORDS[i]} != -* ]]; then command=${COMP_WORDS[i]}; break; fi
  done
  case "$command $option" in
)";

/// Returns the call that completes a value in bash.
std::string bash_action(const CompletionValue& value) {
  if (!value.words.empty())
    return fmt::format("_sunmao_words {} '{}'", value.is_list ? "list" : "one", fmt::join(value.words, " "));
  if (value.is_file)
    return fmt::format("_sunmao_files{}{}", value.extensions.empty() ? "" : " ", fmt::join(value.extensions, " "));
  return value.is_folder ? "_sunmao_folders" : ":";
}

std::string bash_script(const std::vector<CompletionCommand>& commands) {
  std::string out = kBashBegin, cases;
  std::vector<std::string> names;
  for (const CompletionCommand& c : commands) {
    std::vector<std::string> words;
    for (const CompletionOption& o : c.options)
      for (const std::string& name : o.names) {
        words.push_back(name);
        if (o.takes_value) out += fmt::format("    '{} {}') {}; return ;;\n", c.name, name, bash_action(o.value));
      }
    if (!c.name.empty()) names.push_back(c.name);
    const std::string options = fmt::format("_sunmao_words one '{}'", fmt::join(words, " "));
    cases += fmt::format("    '{}') if [[ $cur == -* ]]; then {}; else {}; fi ;;\n", c.name, options,
                         c.name.empty() ? "_sunmao_words one \"$commands\"" : bash_action(c.argument));
  }
  return out +
         fmt::format("  esac\n  local commands='{}'\n  case $command in\n{}  esac\n}}\ncomplete -F _sunmao sunmao\n",
                     fmt::join(names, " "), cases);
}

/// Returns `:what:how to complete it` for _arguments of zsh.
std::string zsh_action(const CompletionValue& value) {
  if (value.is_list && !value.words.empty())
    return fmt::format(":list: _sequence compadd - {}", fmt::join(value.words, " "));
  if (!value.words.empty()) return fmt::format(":word:({})", fmt::join(value.words, " "));
  if (value.is_file && value.extensions.empty()) return ":file:_files";
  if (value.is_file) return fmt::format(":file:_files -g \"*.({})(-.)\"", fmt::join(value.extensions, "|"));
  return value.is_folder ? ":folder:_files -/" : ":value: ";
}

std::string zsh_options(const CompletionCommand& command, const char* indent) {
  std::string out;
  for (const CompletionOption& o : command.options)
    for (const std::string& name : o.names) {
      const char* sign = !o.takes_value ? "" : name.starts_with("--") ? "=" : "+";
      out += fmt::format(" \\\n{}{}", indent,
                         quoted_word(fmt::format("*{}{}[{}]{}", name, sign, escaped(o.summary, "[]:\\"),
                                                 o.takes_value ? zsh_action(o.value) : "")));
    }
  return out;
}

std::string zsh_script(const std::vector<CompletionCommand>& commands) {
  std::string names, cases, top;
  for (const CompletionCommand& c : commands) {
    if (c.name.empty()) {
      top = zsh_options(c, "    ");
      continue;
    }
    names += "        " + quoted_word(c.name + ":" + escaped(c.summary, ":\\")) + "\n";
    cases += fmt::format("        {})\n          _arguments{} \\\n            {} ;;\n", c.name,
                         zsh_options(c, "            "), quoted_word("*" + zsh_action(c.argument)));
  }
  return fmt::format(R"(#compdef sunmao
# Completion of sunmao in zsh: source <(sunmao completion zsh) behind compinit, or as the file _sunmao in $fpath
_sunmao() {{
  local curcontext=$curcontext state line
  typeset -A opt_args
  _arguments -C{} \
    '1:command:->command' '*::argument:->argument'
  case $state in
    command)
      local -a commands
      commands=(
{}      )
      _describe command commands ;;
    argument)
      case $line[1] in
{}      esac ;;
  esac
}}
if [[ ${{funcstack[1]}} == _sunmao ]]; then _sunmao "$@"; else compdef _sunmao sunmao; fi
)",
                     top, names, cases);
}

/// Returns the arguments of `complete` in fish for a value.
std::string fish_action(const CompletionValue& value) {
  if (value.is_list && !value.words.empty())
    return fmt::format(" -a '(__fish_complete_list , \"string split \\\" \\\" {}\")'",
                       fmt::format("\\\"{}\\\"", fmt::join(value.words, " ")));
  if (!value.words.empty()) return fmt::format(" -a '{}'", fmt::join(value.words, " "));
  if (value.is_folder) return " -a '(__fish_complete_directories)'";
  if (value.is_file && value.extensions.empty()) return " -F";
  std::string suffixes;
  for (const std::string& extension : value.extensions)
    suffixes += fmt::format("{}__fish_complete_suffix .{}", suffixes.empty() ? "" : "; ", extension);
  return suffixes.empty() ? "" : fmt::format(" -a '({})'", suffixes);
}

std::string fish_script(const std::vector<CompletionCommand>& commands) {
  std::string out = "# Completion of sunmao in fish: sunmao completion fish | source\ncomplete -c sunmao -f\n";
  const auto text = [](const std::string& summary) { return escaped(summary, "\\'"); };
  for (const CompletionCommand& c : commands) {
    const std::string begin = c.name.empty()
                                  ? "complete -c sunmao -n __fish_use_subcommand"
                                  : fmt::format("complete -c sunmao -n '__fish_seen_subcommand_from {}'", c.name);
    if (!c.name.empty()) {
      out += fmt::format("complete -c sunmao -n __fish_use_subcommand -a {} -d '{}'\n", c.name, text(c.summary));
      out += begin + fish_action(c.argument) + "\n";
    }
    for (const CompletionOption& o : c.options) {
      out += begin;
      for (const std::string& name : o.names)
        out += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
      if (o.takes_value) out += (o.value.is_file && o.value.extensions.empty() ? " -r" : " -x") + fish_action(o.value);
      out += fmt::format(" -d '{}'\n", text(o.summary));
    }
  }
  return out;
}

}  // namespace

Command add_completion(CLI::App& app) {
  auto shell = std::make_shared<std::string>();
  CLI::App* c = app.add_subcommand("completion", "Print a script that lets a shell complete commands and options");
  c->footer("Examples:\n  source <(sunmao completion bash)\n  sunmao completion fish | source");
  c->add_option("SHELL", *shell, "the shell")->required()->check(CLI::IsMember({"bash", "zsh", "fish"}));
  return {c, [&app, shell] {
            const std::vector<CompletionCommand> commands = completion_table(app);
            write_out(*shell == "bash"  ? bash_script(commands)
                      : *shell == "zsh" ? zsh_script(commands)
                                        : fish_script(commands));
            return kSuccess;
          }};
}

}  // namespace sunmao::cli
