# Handles say what they point to.
@I.ir_module
class Module:
    @T.prim_func(private=True)
    def handles(plain: T.handle, typed: T.handle("float32", "shared"), scoped: T.handle(storage_scope="shared")):
        p: T.let[T.handle("int8", "global")] = T.address_of(T.int8(0), dtype="handle")
        A = T.decl_buffer((4,), data=typed, scope="shared")
        A[0] = T.float32(1)
        T.evaluate(p)
        T.evaluate(plain)
        T.evaluate(scoped)
