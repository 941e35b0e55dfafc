"""Which checkpoints did the study measure, and who published them where?"""

from biases_jax.models import layouts
from biases_jax.models.spec import ModelSpec, Published

LAYOUTS = layouts.LAYOUTS
BITBUCKET = (
    "https://bitbucket.org/robert_geirhos/texture-vs-shape-pretrained-models/raw"
)
FACEBOOK = "https://dl.fbaipublicfiles.com"
MADRY_REVISION = "3f04ac96136001cfe402022100728124cbe3fac5"
RSB_RELEASE = (
    "https://github.com/huggingface/pytorch-image-models/releases/download/"
    "v0.1-rsb-weights"
)
TORCHVISION = "https://download.pytorch.org/models"


def _at(address: str, file: str, sha256: str = "") -> Published:
    """A file at `address/file`."""
    return Published(file, f"{address}/{file}", sha256)


def _drive(file: str, identifier: str) -> Published:
    """A file on Google Drive, where sums are not published."""
    return Published(file, f"gdrive:{identifier}")


def _timm(repository: str, revision: str, sha256: str) -> Published:
    """A file of timm on Hugging Face; '' for a revision or sum that is not pinned."""
    uri = f"hf:timm/{repository}/model.safetensors"
    uri += f"@{revision}" if revision else ""
    return Published(f"{repository}/model.safetensors", uri, sha256)


def _strikes_back(
    recipe: str, top1: float, revision: str, sha256: str, file: str, prefix: str
) -> ModelSpec:
    """A row of Wightman, Touvron & Jegou 2021, 'ResNet strikes back'."""
    name = f"resnet50.{recipe.lower()}_in1k"
    return ModelSpec(
        name,
        "training_recipes",
        f"Wightman et al. 2021 (ResNet strikes back), {recipe}",
        LAYOUTS["timm_safetensors_flat"],
        (_timm(name, revision, sha256), _at(RSB_RELEASE, file, prefix)),
        top1=top1,
        licence="apache-2.0",
    )


def _augmented(
    name: str,
    paper: str,
    layout: str,
    top1: float,
    licence: str,
    *published: Published,
) -> ModelSpec:
    """A row of a network that was trained with augmented images."""
    return ModelSpec(
        f"resnet50_{name}",
        "augmentation",
        paper,
        LAYOUTS[layout],
        published,
        top1=top1,
        licence=licence,
    )


def _stylized(
    name: str, top1: float, commit: str, file: str, mirror: Published
) -> ModelSpec:
    """A row of Geirhos et al. 2019; the mirror is RobustBench's."""
    digits = file.removesuffix(".pth.tar")[-8:]
    return ModelSpec(
        f"resnet50_trained_on_{name}",
        "stylized",
        "Geirhos et al. ICLR 2019",
        LAYOUTS["geirhos_dataparallel"],
        (_at(f"{BITBUCKET}/{commit}", file, digits), mirror),
        top1=top1,
        licence="unknown (repository states none for weights)",
    )


def _robust(budget: str, top1: float, sha256: str, *mirrors: Published) -> ModelSpec:
    """A row of Salman et al. 2020; the budget as in the file's name."""
    file = f"resnet50_{budget}.ckpt"
    uri = f"hf:madrylab/robust-imagenet-models/{file}@{MADRY_REVISION}"
    return ModelSpec(
        f"robust_resnet50_{budget}",
        "adversarial_training",
        "Salman et al. NeurIPS 2020",
        LAYOUTS["madry_robustness"],
        (Published(file, uri, sha256), *mirrors),
        top1=top1,
        licence="mit",
    )


def _moco(epochs: int, top1: float) -> ModelSpec:
    """A row of Chen, Xie & He 2021; the linear classifier is in the same file."""
    return ModelSpec(
        f"resnet50_moco_v3_{epochs}ep",
        "contrastive",
        "Chen et al. ICCV 2021",
        LAYOUTS["moco_v3_lincls"],
        (
            _at(
                f"{FACEBOOK}/moco-v3/r-50-{epochs}ep",
                f"linear-{epochs}ep.pth.tar",
            ),
        ),
        top1=top1,
        licence="cc-by-nc-4.0",
        non_commercial=True,
    )


# Sums and revisions as the hosts' pages give them; top-1 is the study's own column.
ROWS = (
    ModelSpec(
        name="tv_resnet50",
        category="baseline",
        paper="He et al. 2016; torchvision's first recipe",
        layout=LAYOUTS["timm_safetensors_flat"],
        backbone=(
            _timm(
                "resnet50.tv_in1k",
                "aa6c2d36d56bc0209040c02b5a7b7d7bf11d57b8",
                "5d061a3c593d795bfe682d9b152bafbcf550579873492def3515b46db1189888",
            ),
            _at(TORCHVISION, "resnet50-0676ba61.pth", "0676ba61"),
        ),
        top1=76.146,
        licence="bsd-3-clause",
    ),
    ModelSpec(
        name="tv2_resnet50",
        category="training_recipes",
        paper="Vryniotis 2021, torchvision's new recipe (IMAGENET1K_V2)",
        layout=LAYOUTS["torchvision_flat_zip"],
        backbone=(
            _at(TORCHVISION, "resnet50-11ad3fa6.pth", "11ad3fa6"),
            _timm("resnet50.tv2_in1k", "", ""),
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
    ModelSpec(
        "resnet50_diffusionnoise_fixed_nonoise",
        "augmentation",
        "Jaini et al. ICLR 2024 (method); Gavrikov's training",
        LAYOUTS["diffusionnoise_namespace"],
        (
            Published(
                "resnet50_diffusionnoise_nonorm_last.pth",
                "hf:paulgavrikov/resnet50.in1k_diffusionnoise_90ep/"
                "resnet50_diffusionnoise_nonorm_last.pth"
                "@b717ada0a19d5d1d3b4a3232f765b06dc01e6bc4",
                "e7ef27d05c41612f4b9a730beedfd8ce22f971fdab6b7202482d41c47765c2ca",
            ),
        ),
        mean=(0.0, 0.0, 0.0),
        std=(1.0, 1.0, 1.0),
        top1=67.216,
        licence="unknown (none stated; training code bsd-3-clause)",
    ),
    _augmented(
        "prime",
        "Modas et al. ECCV 2022",
        "prime_flat",
        76.906,
        "apache-2.0 (repository); of the Zenodo record unknown",
        Published(
            "ResNet50_ImageNet_PRIME_noJSD.ckpt",
            "zenodo:5801872/ResNet50_ImageNet_PRIME_noJSD.ckpt",
        ),
    ),
    _augmented(
        "deepaugment",
        "Hendrycks et al. ICCV 2021",
        "pytorch_examples_dp",
        76.648,
        "mit",
        _drive("deepaugment.pth.tar", "1DPRElQnBG66nd7GUphVm1t-5NroL7t7k"),
    ),
    _augmented(
        "noisymix",
        "Erichson et al. 2022/2024",
        "noisymix_robustbench",
        77.048,
        "gpl-3.0 (training repository)",
        _drive("Erichson2022NoisyMix_new.pt", "1Na79fzPZ0Azg01h6kGn1Xu5NoWOElSuG"),
    ),
    _augmented(
        "deepaugment_augmix",
        "Hendrycks et al. ICCV 2021",
        "pytorch_examples_dp",
        75.802,
        "mit",
        _drive("deepaugment_and_augmix.pth.tar", "1QKmc_p6-qDkh51WvsaS9HKFv8bX5jLnP"),
        _drive("Hendrycks2020Many.pt", "1kylueoLtYtxkpVzoOA1B6tqdbRl2xt9X"),
    ),
    _augmented(
        "pixmix_90ep",
        "Hendrycks et al. CVPR 2022",
        "pixmix_single",
        77.362,
        "mit",
        _drive("pixmix_90ep.pth.tar", "1_i45yvC88hos50QjkoD97OgbDGreKdp9"),
    ),
    _augmented(
        "pixmix_180ep",
        "Hendrycks et al. CVPR 2022",
        "pixmix_single",
        78.088,
        "mit",
        _drive("pixmix_180ep.pth.tar", "1cgKYXDym3wgquf-4hwr_Ra3qje6GNHPH"),
    ),
    _augmented(
        "augmix_180ep",
        "Hendrycks et al. ICLR 2020",
        "augmix_dataparallel",
        77.532,
        "apache-2.0",
        _drive("augmix_180ep.pth.tar", "1z-1V3rdFiwqSECz7Wkmn4VJVefJGJGiF"),
        _drive("Hendrycks2020AugMix.pt", "1xRMj1GlO93tLoCMm0e5wEvZwqhIjxhoJ"),
    ),
    _augmented(
        "tsbias_tbias",
        "Li et al. ICLR 2021, texture-biased",
        "tsbias_mixbn",
        75.27,
        "mit",
        _drive("tsbias_tbias.pth.tar", "1tFy2Q28rAqqreaS-27jifpyPzlohKDPH"),
    ),
    _augmented(
        "tsbias_sbias",
        "Li et al. ICLR 2021, shape-biased",
        "tsbias_mixbn",
        76.21,
        "mit",
        _drive("tsbias_sbias.pth.tar", "1p0fZ9rU-J1v943tA7PlNMLuDXk_1Iy3K"),
    ),
    _augmented(
        "tsbias_debiased",
        "Li et al. ICLR 2021, debiased",
        "tsbias_mixbn",
        76.892,
        "mit",
        _drive("tsbias_debiased.pth.tar", "1r-OSfTtrlFhB9GPiQXUE1h6cqosaBePw"),
    ),
    _augmented(
        "opticsaugment",
        "Mueller et al. ICCVW 2023",
        "opticsaugment",
        74.216,
        "gpl-3.0 (training code)",
        _drive("opticsaugment.pt", "1y0MSlVfzZBKZQEiZF2FCOmsk-91miIHR"),
    ),
    _stylized(
        "SIN",
        60.18,
        "6f41d2e86fc60566f78de64ecff35cc61eb6436f",
        "resnet50_train_60_epochs-c8e5653e.pth.tar",
        _drive("Geirhos2018_SIN.pt", "1hLgeY_rQIaOT4R-t_KyOqPNkczfaedgs"),
    ),
    _stylized(
        "SIN_and_IN_then_finetuned_on_IN",
        76.722,
        "60b770e128fffcbd8562a3ab3546c1a735432d03",
        "resnet50_finetune_60_epochs_lr_decay_after_30_start_"
        "resnet50_train_45_epochs_combined_IN_SF-ca06340c.pth.tar",
        _drive("Geirhos2018_SIN_IN_IN.pt", "1xOvyuxpOZ8I5CZOi0EGYG_R6tu3ZaJdO"),
    ),
    _stylized(
        "SIN_and_IN",
        74.588,
        "60b770e128fffcbd8562a3ab3546c1a735432d03",
        "resnet50_train_45_epochs_combined_IN_SF-2a0d100e.pth.tar",
        _drive("Geirhos2018_SIN_IN.pt", "139pWopDnNERObZeLsXUysRcLg6N1iZHK"),
    ),
    ModelSpec(
        "resnet50_frozen_random",
        "freezing",
        "Gavrikov & Keuper 2023 (arXiv 2301.11360)",
        LAYOUTS["frozen_random"],
        (_drive("frozen_random.pth.tar", "1IT65JJauql-Jdw-0AjAhEGGApGMVx-VE"),),
        top1=74.762,
        licence="unknown",
    ),
    _robust(
        "l2_eps0.01",
        75.672,
        "53d7a7c09d2733b113e255ac9fc578091f44adb8d00eee274c0e71dd1f4dc41e",
    ),
    _robust(
        "l2_eps0.03",
        75.766,
        "e375df3bf07bf1360c04b0aff5cc19bb215e850b1af713327c87cf0353a5598f",
    ),
    _robust(
        "l2_eps0.05",
        75.58,
        "e09d8763fcf825542f07389a1904adf15930451b8661a0de209c3bc39828c2ea",
    ),
    _robust(
        "l2_eps0.1",
        74.792,
        "3298f8cf689e514d096df883ab491a11ee32c3b8d456d674add29d7b50721a43",
    ),
    _robust(
        "l2_eps0.25",
        74.136,
        "",
    ),
    _robust(
        "l2_eps0.5",
        73.174,
        "a5fc6fcc54946b73af7bd74289b0003cc9d2744fa0ff55c1a3d9fb2bce8fbd30",
    ),
    _robust(
        "l2_eps1",
        70.422,
        "09f5273a568830ae23caf9162a06f4831a920293e0da1801aa182289052dcf90",
    ),
    _robust(
        "linf_eps8.0",
        54.53,
        "b907957f8e3ce209816813d8811c682e965a1b0f48455def828d35a4cc2953dc",
    ),
    _robust(
        "l2_eps5",
        56.138,
        "c50db4bbd9a61bc0e0a33290e1f07a79080e16489aa5ada869efc88306f497be",
    ),
    _robust(
        "linf_eps0.5",
        73.736,
        "9612d8096ef5378b4a32746072f72fedcb02c7ff4b747bc7163274f7ec2f0fd8",
    ),
    _robust(
        "linf_eps1.0",
        72.038,
        "",
    ),
    _robust(
        "linf_eps2.0",
        69.086,
        "59f28de783a049cb4d91ba1c0a09c314db2cc4bb1e859566e023f842b02772ac",
    ),
    _robust(
        "linf_eps4.0",
        63.874,
        "9e62216975c111b8081481533b6142dec34be69abe5d90b54d7f860015c263db",
        _drive("Salman2020Do_R50.pt", "1TmT5oGa1UvVjM3d-XeSj_XmKqBNRUg8r"),
    ),
    _robust(
        "l2_eps0",
        75.806,
        "72d4a99582db5d7fa86c3fd2a089f0bfd6a10f69d635bca51f6ad72ac6b458f0",
    ),
    _robust(
        "l2_eps3",
        62.834,
        "380b14e6f9750bffa1447cf7017f65da4dc5ce71a3dd112f107515dcf7b14d9d",
    ),
    _moco(100, 68.908),
    _moco(300, 72.796),
    _moco(1000, 74.596),
    ModelSpec(
        "resnet50_dino",
        "contrastive",
        "Caron et al. ICCV 2021 (DINO)",
        LAYOUTS["dino_two_files"],
        (_at(f"{FACEBOOK}/dino/dino_resnet50_pretrain", "dino_resnet50_pretrain.pth"),),
        (
            _at(
                f"{FACEBOOK}/dino/dino_resnet50_pretrain",
                "dino_resnet50_linearweights.pth",
            ),
        ),
        top1=75.282,
        licence="apache-2.0",
    ),
    ModelSpec(
        "resnet50_swav",
        "contrastive",
        "Caron et al. NeurIPS 2020 (SwAV)",
        LAYOUTS["swav_two_files"],
        (_at(f"{FACEBOOK}/deepcluster", "swav_800ep_pretrain.pth.tar"),),
        (_at(f"{FACEBOOK}/deepcluster", "swav_800ep_eval_linear.pth.tar"),),
        top1=75.308,
        licence="cc-by-nc-4.0",
        non_commercial=True,
    ),
    ModelSpec(
        "resnet50_simclrv2",
        "contrastive",
        "Chen et al. NeurIPS 2020 (SimCLRv2), Separius' conversion",
        LAYOUTS["simclrv2_separius"],
        (_drive("r50_1x_sk0.pth", "1fDaMhujPnxo4SYOe4asPqCKQ3XB_sZvj"),),
        mean=(0.0, 0.0, 0.0),
        std=(1.0, 1.0, 1.0),
        top1=74.9,
        licence="apache-2.0 (TensorFlow weights); converter gpl-3.0",
    ),
)
