# Global infos, module attributes, virtual devices by kind and by number.
@I.ir_module
class Module:
    I.module_attrs({"attr": 10, "name": "x"})
    I.module_global_infos(
        {
            "vdevice": [
                I.vdevice("llvm"),
                I.vdevice("cuda", 0),
                I.vdevice({"kind": "cuda", "arch": "sm_80"}, 1),
                I.vdevice("metal", 0, "global"),
            ],
            "dummy": [I.dummy_global_info(), I.dummy_global_info()],
        }
    )

    @R.function
    def main(
        a: R.Tensor((2,), "float32", "cuda:1"),
        b: R.Tensor((2,), "float32", vdevice="llvm"),
        c: R.Tensor((2,), "float32", "vdevice:3"),
        d: R.Tensor((2,), "float32", vdevice="llvm:0:global"),
    ) -> R.Tensor((2,), "float32", "cuda:1"):
        s = R.add(a, a)
        t = R.to_vdevice(b, dst_vdevice="cuda:0")
        u = R.to_vdevice(b, dst_vdevice=I.vdevice("opencl", 2, "texture"))
        return s
