# Functions of the module as values: returned, and inside tuples.
@I.ir_module
class Values:
    @R.function
    def itself() -> R.Any:
        return Values.itself

    @R.function
    def several(x: R.Any) -> R.Any:
        cls = Values
        return (cls.itself, x, (cls.several,))
