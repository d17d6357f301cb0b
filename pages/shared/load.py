"""Loading: a sample, files, or a saved workspace; the YAML editor; the build in the background."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from typing import get_args

import streamlit as st

from cnrag_core.config.dialect import weight_notes
from cnrag_core.config.infer import infer_config
from cnrag_core.config.loader import load_config, to_yaml
from cnrag_core.config.models import IN_WORDS, available_models, with_model
from cnrag_core.config.spec import FieldKind, PipelineConfig
from cnrag_core.corpus.document import Corpus
from cnrag_core.corpus.samples import load_sample, sample_names
from cnrag_core.corpus.wording import count
from cnrag_core.cost import estimate_cost
from cnrag_core.errors import CNRagError, ConfigError, DuplicateIdError
from cnrag_core.evaluation.judgements import JudgedQuery, read_judgements_bytes
from cnrag_core.freed_memory import give_back
from cnrag_core.jobs import Job
from cnrag_core.limits import server_limits
from cnrag_core.types import Progress
from cnrag_core.views.weight_bars import weight_bars
from cnrag_core.views.workspace_tables import schema_table
from cnrag_core.visits import server_visits
from cnrag_core.worker import WORTH_RESUMING, CorpusFile, ResumeFolder, build_workspace
from cnrag_core.workspace import Workspace
from pages.shared.background import start_job
from pages.shared.network_link import saved_view
from pages.shared.session import KEPT, forget_workspace, literal, sample_workspace, use_workspace

SOURCES = ("A sample", "My own documents", "A saved workspace", "The present documents, compared otherwise")


def load_panel(workspace: Workspace) -> None:
    """Everything on the home page that changes what is loaded."""
    st.subheader("Load something else", anchor=False)
    job: Job[Workspace] | None = st.session_state.get("job")
    if job is not None:
        build_progress()
        return
    message = st.session_state.pop("job_message", None)
    if message:
        st.error(literal(message), icon=":material/error:")
    source = st.segmented_control("Where from", SOURCES, default=SOURCES[0], key="source") or SOURCES[0]
    if source == SOURCES[0]:
        _samples(workspace)
    elif source == SOURCES[1]:
        _own_documents()
    elif source == SOURCES[2]:
        _saved()
    else:
        editor(workspace.corpus, to_yaml(workspace.config), workspace.name, workspace.queries, key="present")
        _save(workspace)


def own_documents(workspace: Workspace) -> None:
    """Of what the visitor loaded themselves: who can see it, for how long, and a way to have it gone."""
    if server_visits().token_of(workspace) is None:
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(
            "Only the address of this tab leads to these documents; a reload finds them again. They are removed from "
            f"the server {server_limits().visit_hours:g} hours after the last visit, or at once."
        )
        st.button("Forget them now", key="forget_own", on_click=forget_workspace, args=(workspace,), type="tertiary")


def _samples(workspace: Workspace) -> None:
    for name in sample_names():
        sample = load_sample(name)
        with st.container(border=True, horizontal=True, vertical_alignment="center"):
            with st.container():
                here = " :blue-badge[open now]" if workspace.sample == name else ""
                st.markdown(f"**{literal(sample.title)}** · {len(sample.corpus):,} documents{here}")
                st.caption(literal(sample.description.replace("`", "")))
            if st.button("Open", key=f"open_{name}", help=f"Build the sample {sample.title}"):
                use_workspace(sample_workspace(name))
                st.rerun()


def _own_documents() -> None:
    st.caption(
        "JSON, JSON Lines, CSV, TSV, Parquet, Excel, YAML, PDF, BibTeX, RIS, HTML, text, exported chats, or a zip of "
        "such files. Nothing leaves this server, and nobody else sees it."
    )
    files, rules, judged = st.columns(3)
    upload = files.file_uploader("Documents", key="corpus_file", max_upload_size=200)
    yaml_file = rules.file_uploader("Configuration (optional)", type=["yaml", "yml"], key="yaml_file")
    judged_file = judged.file_uploader("Judged questions (optional)", key="judged_file")
    draft: _Draft | None = st.session_state.get("draft")
    if upload is not None and (draft is None or draft.upload != upload.file_id):
        draft = _read(upload.file_id, CorpusFile(upload.getvalue(), upload.name))
    elif draft is not None:
        draft = _read(draft.upload, draft.file)
    if upload is not None and draft is None:
        return
    if draft is None:
        st.info("Choose a file to see its fields and a configuration to start from.", icon=":material/upload_file:")
        return
    corpus = draft.corpus
    st.markdown(f"**{literal(corpus.name)}** · {count(len(corpus), 'document')}")
    for warning in corpus.warnings:
        st.warning(literal(warning), icon=":material/warning:")
    queries = read_judgements_bytes(judged_file.getvalue(), judged_file.name) if judged_file is not None else ()
    guessed = _guess(draft)
    text = yaml_file.getvalue().decode("utf-8", "replace") if yaml_file is not None else to_yaml(guessed)
    digest = hashlib.sha256((draft.digest + text).encode("utf-8", "replace")).hexdigest()[:12]
    editor(corpus, text, corpus.name, queries, key=digest, file=draft.file)


@dataclass(frozen=True, eq=False)
class _Draft:
    """What somebody chose to build from: read once, and kept while they look at its fields."""

    upload: str
    digest: str
    file: CorpusFile
    corpus: Corpus

    @classmethod
    def of(cls, upload: str, file: CorpusFile) -> _Draft:
        corpus = file.read()
        give_back()  # the text and the records that the documents were made of
        return cls(upload, hashlib.sha256(file.data).hexdigest(), file, corpus)


def _read(upload: str, file: CorpusFile) -> _Draft | None:
    """What was chosen, read once; where ids repeat the visitor says whether that is meant, and None waits for it."""
    draft: _Draft | None = st.session_state.get("draft")
    repeats, in_the_file = st.session_state.get("repeated_ids", {}).get(upload, (None, False))
    if repeats is not None:
        sentence = st.container()
        keep = st.checkbox(
            "Keep them all; a repeated id x becomes x#2", key=f"keep_duplicates_{upload}", persist_state=KEPT
        )
        if not keep:
            sentence.error(literal(repeats), icon=":material/content_copy:")
        file = replace(file, keep_duplicates=keep)
    if draft is not None and draft.upload == upload and draft.file.keep_duplicates == file.keep_duplicates:
        return draft
    if in_the_file and not file.keep_duplicates:
        return None
    try:
        with st.spinner("Reading the documents …"):
            draft = st.session_state["draft"] = _Draft.of(upload, file)
    except DuplicateIdError as error:
        st.session_state["repeated_ids"] = {upload: (error.found, True)}
        st.rerun()
    return draft


def _guess(draft: _Draft) -> PipelineConfig:
    """A configuration guessed from the fields, whose kinds the person may correct, with the chosen text model."""
    st.caption("What the fields were taken for; correct a kind and the configuration below follows.")
    table = st.data_editor(
        schema_table(draft.corpus),
        key=f"schema_{draft.digest[:12]}",
        hide_index=True,
        disabled=["field", "filled", "example"],
        column_config={"kind": st.column_config.SelectboxColumn(options=list(get_args(FieldKind)), required=True)},
    )
    kinds = dict(zip(table["field"], table["kind"], strict=True))
    models = available_models()
    model = st.segmented_control(
        "Text model", models, default=models[0], format_func=lambda name: IN_WORDS[name], key="text_model"
    )
    return with_model(infer_config(replace(draft.corpus, kinds=kinds)), model or models[0])


def _saved() -> None:
    upload = st.file_uploader("Workspace (.cnrag)", key="workspace_file", max_upload_size=200)
    if upload is not None and st.button("Open it", key="open_workspace", type="primary"):
        use_workspace(Workspace.open(upload.getvalue()))
        st.rerun()


def editor(
    corpus: Corpus,
    text: str,
    name: str,
    queries: tuple[JudgedQuery, ...],
    *,
    key: str,
    file: CorpusFile | None = None,
) -> None:
    """The YAML with its problems, the weights as bars, the cost, and the button that builds.

    Parameters
    ----------
    file
        From which the documents are read again as a configuration's schema says; None keeps them as they are.
    """
    written, shown = st.columns([3, 2], gap="large")
    with written:
        edited = st.text_area("How documents are compared (YAML)", text, height=380, key=f"yaml_{key}")
    with shown:
        config = _checked(edited)
        if config is None:
            return
        st.plotly_chart(weight_bars(config.normalized_weights), key=f"weights_{key}")
        for note in (*config.notes, *weight_notes(config.components)):
            st.caption(literal(note))
        st.caption(literal(estimate_cost(corpus, config).in_words))
        if st.button("Build the network", key=f"build_{key}", type="primary"):
            kept = _resume_folder(len(corpus))

            def work(progress: Progress) -> Workspace:
                return build_workspace(
                    corpus, config, name=name, file=file, queries=queries, resume=kept, progress=progress
                )

            start_job("job", name, work)
            st.rerun()


def _resume_folder(n_documents: int) -> ResumeFolder | None:
    """Where a large build of this session that ends early is gone on with; gone with the session."""
    if n_documents < WORTH_RESUMING:
        return None
    if "resume" not in st.session_state:
        st.session_state["resume"] = ResumeFolder()
    folder: ResumeFolder = st.session_state["resume"]
    return folder


def _checked(text: str) -> PipelineConfig | None:
    """The configuration, or every problem of it on the page."""
    try:
        return load_config(text, uploaded=True)
    except ConfigError as error:
        st.error(f"{len(error.problems)} to mend before this can be built:", icon=":material/rule:")
        for problem in error.problems:
            st.text(str(problem))
    except CNRagError as error:
        st.error(literal(str(error)))
    return None


@st.fragment(run_every=0.4)
def build_progress() -> None:
    """The running build: its step, share, time left, and a way to stop it."""
    job: Job[Workspace] | None = st.session_state.get("job")
    if job is None:
        st.rerun()
        return
    if job.state == "running":
        left = job.seconds_left
        estimate = f", about {left:.0f} s left" if left is not None and left >= 1 else ""
        st.progress(job.share, text=f"{literal(job.step)} · {job.seconds:.0f} s{estimate}")
        if st.button("Cancel", key="cancel_build"):
            job.cancel()
        return
    st.session_state["job"] = None
    if job.state == "done":
        use_workspace(job.result)
    elif isinstance(job.error, DuplicateIdError) and (draft := st.session_state.get("draft")) is not None:
        # the configuration chose another field for the ids than the file was read with
        st.session_state["repeated_ids"] = {draft.upload: (job.error.found, False)}
        st.session_state["source"] = SOURCES[1]
    else:
        st.session_state["job_message"] = job.message or "The build was cancelled; nothing was changed."
    st.rerun()


def _save(workspace: Workspace) -> None:
    st.download_button(
        "Save this workspace",
        data=replace(workspace, view=saved_view(workspace)).to_bytes,
        file_name="workspace.cnrag",
        mime="application/zip",
        key="save_workspace",
        on_click="ignore",
        help="Documents, configuration and network in one file that reopens with the same view.",
    )
