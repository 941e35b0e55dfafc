"""Which checkpoints did the study measure, and who published them where?"""

from biases_jax.models.spec import ModelSpec, Published, Weights

TORCHVISION = "https://download.pytorch.org/models"
RSB_RELEASE = (
    "https://github.com/huggingface/pytorch-image-models/releases/download/"
    "v0.1-rsb-weights"
)


def _hub(repository: str, revision: str, sha256: str) -> Published:
    """A file of timm on Hugging Face; '' for a revision or sum that is not pinned."""
    uri = f"hf:timm/{repository}/model.safetensors"
    uri += f"@{revision}" if revision else ""
    return Published(f"{repository}/model.safetensors", uri, sha256)


def _strikes_back(
    recipe: str, top1: float, revision: str, sha256: str, file: str, prefix: str
) -> ModelSpec:
    """A row of Wightman, Touvron & Jegou 2021, 'ResNet strikes back'."""
    name = f"resnet50.{recipe.lower()}_in1k"
    release = Published(file, f"{RSB_RELEASE}/{file}", prefix)
    return ModelSpec(
        name=name,
        category="training_recipes",
        paper=f"Wightman et al. 2021 (ResNet strikes back), {recipe}",
        backbone=Weights((_hub(name, revision, sha256), release)),
        top1=top1,
        licence="apache-2.0",
    )


# Sums and revisions as the hosts' pages give them; top-1 is the study's own column.
ROWS = (
    ModelSpec(
        name="tv_resnet50",
        category="baseline",
        paper="He et al. 2016; torchvision's first recipe",
        backbone=Weights(
            (
                _hub(
                    "resnet50.tv_in1k",
                    "aa6c2d36d56bc0209040c02b5a7b7d7bf11d57b8",
                    "5d061a3c593d795bfe682d9b152bafbcf550579873492def3515b46db1189888",
                ),
                Published(
                    "resnet50-0676ba61.pth",
                    f"{TORCHVISION}/resnet50-0676ba61.pth",
                    "0676ba61",
                ),
            )
        ),
        top1=76.146,
        licence="bsd-3-clause",
    ),
    ModelSpec(
        name="tv2_resnet50",
        category="training_recipes",
        paper="Vryniotis 2021, torchvision's new recipe (IMAGENET1K_V2)",
        backbone=Weights(
            (
                Published(
                    "resnet50-11ad3fa6.pth",
                    f"{TORCHVISION}/resnet50-11ad3fa6.pth",
                    "11ad3fa6",
                ),
                _hub("resnet50.tv2_in1k", "", ""),
            )
        ),
        top1=80.342,
        licence="bsd-3-clause",
    ),
    _strikes_back(
        "D",
        79.888,
        "1b19255347a7d36c93793d53454047e236116f82",
        "d8ed291891c8ee5777f68136665a4eee2f9ddeb2a9bc88acf4b1676b3bbebf55",
        "resnet50_d-f39db8af.pth",
        "f39db8af",
    ),
    _strikes_back(
        "C1",
        79.76,
        "8c6980f",
        "",
        "resnet50_c1-5ba5e060.pth",
        "5ba5e060",
    ),
    _strikes_back(
        "B1k",
        79.16,
        "534e3f8",
        "cd64707e0ef72aa0526ac6d46fba6495ad2088717adb47a62a0b526eb3cd3480",
        "resnet50_b1k-532a802a.pth",
        "532a802a",
    ),
    _strikes_back(
        "C2",
        79.918,
        "",
        "",
        "resnet50_c2-d01e05b2.pth",
        "d01e05b2",
    ),
    _strikes_back(
        "B2k",
        79.27,
        "055d4cb",
        "0c89502f61808f6fac8c7044eb59c072877c171529fc001bc85403982115232c",
        "resnet50_b2k-1ba180c1.pth",
        "1ba180c1",
    ),
    _strikes_back(
        "A3",
        77.548,
        "b414442",
        "",
        "resnet50_a3_0-59cae1ef.pth",
        "59cae1ef",
    ),
    _strikes_back(
        "A2",
        79.796,
        "8cbd768",
        "f531f9aca4dde1b89e9a465c5b9e3b916a2d1b20a216acf3b9473d1e1212ecf6",
        "resnet50_a2_0-a2746f79.pth",
        "a2746f79",
    ),
    _strikes_back(
        "A1h",
        80.098,
        "e7a9bec",
        "",
        "resnet50_a1h2_176-001a1197.pth",
        "001a1197",
    ),
    _strikes_back(
        "A1",
        80.104,
        "93271f4677dbf7b4d7f7e7d9d7811bd66c327e56",
        "773525d5821de224f8f30c33377b7a795d7863e08522698200d3217d3f2a41bb",
        "resnet50_a1_0-14fe96d1.pth",
        "14fe96d1",
    ),
)
