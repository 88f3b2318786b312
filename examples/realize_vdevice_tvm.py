"""RealizeVDevice called directly, inside a Sequential, and twice: one result, and an input that stays as it was.

python -m sunmao.as_tvm examples/realize_vdevice_tvm.py

What went wrong in TVM: the pass wrote devices into the types of the module that it was given, so that a module gave one
result the first time and another the second, and a direct call differed from the same pass inside a pipeline.
"""

import tvm
from tvm import relax
from tvm.script import ir as I
from tvm.script import relax as R


@I.ir_module
class TwoDevices:
    I.module_global_infos({"vdevice": [I.vdevice("llvm"), I.vdevice("cuda", 0)]})

    @R.function
    def main(c: R.Tensor((), "bool"), x: R.Tensor((2, 3), "float32"), y: R.Tensor((2, 3), "float32")) -> R.Tensor(
        (2, 3), "float32"
    ):
        total = R.add(x, y)
        there = R.hint_on_device(total, R.cuda(0))
        if c:
            z = R.exp(there)
        else:
            z = R.add(there, there)
        back = R.to_vdevice(z, "llvm")
        return R.tanh(back)


def devices(module: tvm.IRModule) -> list[str]:
    """Where the parameters of `main` and its result lie."""
    cpu, cuda = module.global_infos["vdevice"]
    names = {None: "none", (cpu.vdevice_id, str(cpu.target)): "cpu", (cuda.vdevice_id, str(cuda.target)): "cuda"}
    types = [param.ty for param in module["main"].params] + [module["main"].ret_ty]
    return [names[ty.vdevice and (ty.vdevice.vdevice_id, str(ty.vdevice.target))] for ty in types]


def main() -> None:
    realize = relax.transform.RealizeVDevice()
    text, number = TwoDevices.script(), tvm.ir.structural_hash(TwoDevices)
    kept = tvm.ir.load_json(tvm.ir.save_json(TwoDevices))

    direct = realize(TwoDevices)
    in_sequence = tvm.transform.Sequential([realize])(TwoDevices)
    again = tvm.transform.Sequential([realize, realize])(TwoDevices)
    tvm.ir.assert_structural_equal(direct, in_sequence)
    tvm.ir.assert_structural_equal(direct, again)
    tvm.ir.assert_structural_equal(direct, realize(direct))
    print("directly, in a Sequential, twice: the same")

    tvm.ir.assert_structural_equal(TwoDevices, kept)
    assert tvm.ir.structural_hash(TwoDevices) == number
    assert TwoDevices.script() == text
    assert devices(TwoDevices) == ["none", "none", "none", "cpu"]
    print("the input is as it was")

    assert devices(direct) == ["none", "cuda", "cuda", "cpu"], devices(direct)
    assert "hint_on_device" not in direct.script()
    assert direct.script().count("R.to_vdevice") == 1
    print("its result has every tensor but the condition on a device, and one copy:", devices(direct))


if __name__ == "__main__":
    main()
