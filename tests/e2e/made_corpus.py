"""A corpus of ten thousand papers that nobody wrote: the same every time, and shaped as real ones are.

A paper has a subject and one of its aspects. Its words are drawn from both, from a neighbouring subject,
from the words that all papers use, and from names of its own, so that similarities spread, communities
overlap a little, and every paper differs from every other.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path

SUBJECTS = {
    "coral reefs": "coral reef bleaching polyp algae symbiont lagoon atoll skeleton larva spawning acidification",
    "glaciers": "glacier ice moraine meltwater crevasse calving snowpack retreat albedo fjord firn ablation",
    "volcanoes": "volcano magma eruption lava ash caldera tephra vent seismicity plume degassing pumice",
    "rivers": "river sediment flood channel delta discharge meander catchment erosion levee estuary gravel",
    "forests": "forest canopy seedling drought deadwood logging understory carbon succession litter beetle gap",
    "soil": "soil humus nitrogen clay microbe compost tillage mycorrhiza leaching aggregate earthworm moisture",
    "bees": "bee pollen nectar hive colony forager pesticide queen brood mite wildflower waggle",
    "birds": "bird migration nest plumage song feather roost flyway clutch predator wintering stopover",
    "whales": "whale krill sonar pod blubber strandings calf acoustic baleen breach upwelling plankton",
    "viruses": "virus capsid genome host infection variant receptor envelope replication titer lineage polymerase",
    "bacteria": "bacterium biofilm plasmid resistance antibiotic strain membrane quorum toxin culture gut operon",
    "vaccines": "vaccine antibody immunity adjuvant booster antigen trial dose efficacy cohort serology placebo",
    "proteins": "protein folding residue helix chaperone enzyme ligand binding domain crystal mutation assay",
    "neurons": "neuron synapse cortex spike dendrite axon plasticity hippocampus inhibition oscillation firing memory",
    "sleep": "sleep circadian melatonin insomnia dream apnea rhythm wakefulness fatigue actigraphy nap chronotype",
    "diet": "diet calorie fiber obesity insulin glucose protein intake nutrition cholesterol fasting appetite",
    "hearts": "heart artery stroke pressure valve rhythm stent infarction statin ventricle fibrillation risk",
    "tumours": "tumour metastasis oncogene chemotherapy biopsy remission marker radiation lymphoma screening apoptosis",
    "galaxies": "galaxy redshift halo quasar merger spiral bulge cluster lensing starburst morphology survey",
    "planets": "planet transit orbit atmosphere habitable telescope stellar radius spectrum dwarf moon eccentricity",
    "black holes": "hole accretion horizon jet gravitational wave spin binary merger luminosity disk relativity",
    "batteries": "battery lithium anode cathode electrolyte dendrite cycling charge separator capacity cell graphite",
    "solar cells": "solar perovskite photon silicon efficiency junction module degradation bandgap tandem absorber",
    "wind power": "wind turbine blade offshore rotor wake tower grid gust yaw curtailment farm",
    "bridges": "bridge span cable girder load pier truss fatigue deck corrosion vibration inspection",
    "concrete": "concrete cement aggregate crack curing slag strength rebar porosity shrinkage carbonation mortar",
    "robots": "robot gripper arm locomotion actuator grasp manipulation legged sensor controller torque terrain",
    "drones": "drone quadrotor flight swarm payload waypoint hover aerial collision thrust autopilot mapping",
    "speech": "speech phoneme recognition speaker accent acoustic transcription prosody dialect voice utterance noise",
    "translation": "translation sentence parallel corpus decoder alignment fluency source target language bilingual",
    "vision": "image segmentation detection convolution pixel camera contour texture annotation depth pose occlusion",
    "privacy": "privacy consent anonymity encryption leakage identifier differential tracking breach policy disclosure",
    "databases": "database index query transaction join storage latency schema concurrency replica cache log",
    "compilers": "compiler register loop inlining bytecode optimisation parser linker branch vectorisation type pass",
    "networks": "packet router congestion latency bandwidth protocol throughput queue wireless topology handover",
    "markets": "market price volatility trader liquidity auction portfolio bond return spread arbitrage hedge",
    "schools": "school pupil teacher classroom literacy curriculum homework assessment attainment tutoring enrolment",
    "cities": "city commute housing zoning transit density pedestrian rent neighbourhood parking cycling noise",
    "elections": "election voter turnout ballot party candidate poll district campaign incumbent coalition swing",
    "music": "melody rhythm harmony listener chord timbre tempo violin improvisation pitch ensemble score",
}
"""Words of each subject; its aspects are parts of them."""

ASPECTS = 6
SHARE_JOINED = 0.3
"""Papers between two subjects."""

COMMON = (
    "method model data measurement analysis effect change rate pattern response scale observation comparison field "
    "laboratory season region sample variation estimate range increase decline evidence mechanism process structure "
    "simulation experiment distribution population density growth loss temperature energy signal time series control"
)
VERBS = ("shapes", "limits", "predicts", "drives", "follows", "reverses", "explains", "masks", "delays", "amplifies")
VENUES = ("Annals", "Proceedings", "Letters", "Review")
FIELDS = ("Earth", "Life", "Medicine", "Matter", "Machines", "Society")
SYLLABLES = "ka lo mer tan vi sol dra pen ur mi ost bel gor nes tha qui zan fel rho wex"


def papers(n: int = 10_000, *, random_state: int = 7) -> Iterator[dict[str, object]]:
    """Records with id, title, abstract, tags, venue, year and citations."""
    rng = random.Random(random_state)
    names = list(SUBJECTS)
    places = ["".join(rng.choices(SYLLABLES.split(), k=3)).capitalize() for _ in range(400)]
    words_of = {name: words.split() for name, words in SUBJECTS.items()}
    popularity = [1 / (rank + 6) for rank in range(len(names))]
    for number in range(n):
        subject = rng.choices(range(len(names)), popularity)[0]
        other = rng.randrange(len(names)) if rng.random() < 0.3 else (subject + rng.choice((1, 2))) % len(names)
        joined = rng.random() < SHARE_JOINED
        own, near = words_of[names[subject]], words_of[names[other]]
        aspect = rng.randrange(ASPECTS)
        focus = [own[(2 * aspect + step) % len(own)] for step in range(4)]
        place = rng.choice(places)
        sentences = [
            _sentence(rng, focus, own, near if joined or rng.random() < 0.25 else own, place)
            for _ in range(rng.randint(3, 5))
        ]
        yield {
            "id": f"p{number:05d}",
            "title": f"{focus[0].capitalize()} {rng.choice(VERBS)} {rng.choice(near if joined else own)} "
            f"{rng.choice(COMMON.split())} in {place}",
            "abstract": " ".join(sentences),
            "tags": sorted({names[subject], rng.choice(focus), *([names[other]] if joined else [rng.choice(own)])}),
            "venue": f"{rng.choice(VENUES)} of {FIELDS[(subject + rng.choice((0, 0, 0, 1))) % len(FIELDS)]}",
            "year": 1990 + int(34 * rng.random() ** 0.6),
            "citations": int(rng.paretovariate(1.2)) - 1,
        }


def _sentence(rng: random.Random, focus: list[str], own: list[str], near: list[str], place: str) -> str:
    words = [
        *rng.choices(focus, k=4),
        *rng.choices(own, k=2),
        *rng.choices(near, k=3),
        *rng.choices(COMMON.split(), k=6),
    ]
    rng.shuffle(words)
    words.insert(rng.randrange(4, 10), rng.choice(("near", "of", "under", "against")))
    if rng.random() < 0.4:
        words.append(f"at {place}")
    words[0], words[-1] = words[0].capitalize(), words[-1] + "."
    return " ".join(words)


def write(path: Path, n: int = 10_000) -> None:
    """The corpus as JSON Lines."""
    with path.open("w", encoding="utf-8") as lines:
        lines.writelines(json.dumps(paper) + "\n" for paper in papers(n))
