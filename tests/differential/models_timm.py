"""Architectures of timm at 64 x 64 pixels, with widths made small where the constructor has a parameter for it."""

from __future__ import annotations

from typing import Any

from models import Built, add, image_model
from vision_ops import torchvision

NAMES: dict[str, dict[str, Any]] = {
    "resnet18": {},
    "resnest14d": {},
    "mobilenetv2_050": {},
    "mobilenetv4_conv_small": {},
    "efficientnet_b0": {},
    "efficientnet_lite0": {},
    "densenet121": {"growth_rate": 8, "block_config": (2, 2, 2, 2)},
    "repvgg_a0": {},
    "regnetx_002": {},
    "regnety_002": {},
    "ghostnet_050": {},
    "mnasnet_050": {},
    "tinynet_e": {},
    "lcnet_050": {},
    "fbnetc_100": {},
    "hrnet_w18_small": {},
    "dla46_c": {},
    "vovnet39a": {},
    "cspresnet50": {},
    "darknet17": {},
    "res2net50_14w_8s": {"layers": (1, 1, 1, 1)},
    "seresnet18": {},
    "resnetv2_50": {"layers": (1, 1, 1, 1)},
    "resnext50_32x4d": {"layers": (1, 1, 1, 1)},
    "inception_next_atto": {},
    "convnext_atto": {},
    "convnextv2_atto": {},
    "convmixer_768_32": {},
    "vit_tiny_patch16_224": {"img_size": 64, "depth": 2},
    "deit_tiny_patch16_224": {"img_size": 64, "depth": 2},
    "beit_base_patch16_224": {"img_size": 64, "depth": 2, "embed_dim": 48, "num_heads": 4},
    "cait_xxs24_224": {"img_size": 64, "depth": 2},
    "eva02_tiny_patch14_224": {"img_size": 56, "depth": 2},
    "swin_tiny_patch4_window7_224": {"img_size": 56, "depths": (1, 1), "embed_dim": 24, "num_heads": (2, 4)},
    "swinv2_tiny_window8_256": {"img_size": 64, "depths": (2, 2), "embed_dim": 24, "num_heads": (2, 4)},
    "mixer_s32_224": {"img_size": 64},
    "gmlp_ti16_224": {"img_size": 64},
    "resmlp_12_224": {"img_size": 64},
    "poolformer_s12": {},
    "mobilevit_xxs": {},
    "mobilevitv2_050": {},
    "edgenext_xx_small": {},
    "efficientformer_l1": {},
    "levit_128s": {"img_size": 64},
    "xcit_nano_12_p16_224": {"img_size": 64, "depth": 2},
    "volo_d1_224": {"img_size": 64},
    "pvt_v2_b0": {},
    "twins_pcpvt_small": {"img_size": 64, "depths": (1, 1, 1, 1)},
    "coat_lite_tiny": {"img_size": 64},
    "crossvit_tiny_240": {},
    "convit_tiny": {"img_size": 64, "depth": 2, "local_up_to_layer": 1},
    "visformer_tiny": {"img_size": 64},
    "tnt_s_legacy_patch16_224": {"img_size": 64, "depth": 2},
    "maxvit_rmlp_pico_rw_256": {"img_size": 256, "depths": (1, 1, 1, 1)},
    "coatnet_pico_rw_224": {"img_size": 64},
    "fastvit_t8": {},
    "repvit_m0_9": {},
    "starnet_s050": {},
    "tiny_vit_5m_224": {},
    "focalnet_tiny_srf": {},
    "davit_tiny": {"depths": (1, 1, 1, 1), "embed_dims": (24, 48, 96, 192), "num_heads": (2, 2, 4, 4)},
    "nfnet_f0": {},
    "skresnet18": {},
    "selecsls42": {},
    "xception41": {},
    "hardcorenas_a": {},
    "gernet_s": {},
    "haloregnetz_b": {},
    "lambda_resnet26t": {"img_size": 64},
    "bat_resnext26ts": {},
    "botnet26t_256": {"img_size": 64},
    "gcresnet33ts": {},
    "eca_resnet33ts": {},
    "inception_v4": {},
}
SIZES = {"crossvit_tiny_240": 240, "eva02_tiny_patch14_224": 56, "swin_tiny_patch4_window7_224": 56}
SIZES |= {"inception_v4": 96, "maxvit_rmlp_pico_rw_256": 256, "efficientformer_l1": 224, "tiny_vit_5m_224": 224}
SIZES |= {"haloregnetz_b": 224, "bat_resnext26ts": 256}


def build(name: str, options: dict[str, Any]) -> Built:
    torchvision()
    import timm

    return image_model(timm.create_model(name, num_classes=10, **options), SIZES.get(name, 64))


for _name, _options in NAMES.items():
    add("timm", f"timm_{_name}", lambda name=_name, options=_options: build(name, options))
