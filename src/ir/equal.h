// Structural equality and hash of types, expressions, functions and modules.
#pragma once
#include "ir/module.h"
#include "sym/equal.h"

namespace sunmao {

bool equal(const Type& a, const Type& b, Equality& equality);
bool equal(const Expr& a, const Expr& b, Equality& equality);
bool equal(const Attrs& a, const Attrs& b, Equality& equality);

bool structural_equal(const Type& a, const Type& b, Equality::Options options = {});
bool structural_equal(const Expr& a, const Expr& b, Equality::Options options = {});
bool structural_equal(const Module& a, const Module& b, Equality::Options options = {});
/// Returns where and why two modules first differ structurally; empty when they are equal.
std::string first_difference(const Module& a, const Module& b, Equality::Options options = {});

void hash(const Type& type, StructuralHasher& hasher);
void hash(const Expr& expr, StructuralHasher& hasher);
void hash(const Attrs& attrs, StructuralHasher& hasher);
uint64_t structural_hash(const Type& type);
uint64_t structural_hash(const Expr& expr);
/// Function hashes are cached, so hashing a module again is cheap.
uint64_t structural_hash(const Module& module);
/// Returns the structural hash of a module computed without caches: to check that nodes did not change, or to compare
/// under `options`.
uint64_t computed_hash(const Module& module, Equality::Options options = {});

}  // namespace sunmao
