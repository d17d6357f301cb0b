"""Files as people have them, made of a few topics so that they link into communities.

A note of a topic mixes words of the topic with words of its neighbour topic in one note out of six, so
that communities hang together.
"""

from __future__ import annotations

import io
import zipfile

TOPICS = {
    "reefs": "coral reef bleaching algae warm sea water polyp colony fish lagoon atoll",
    "bridges": "bridge span steel cable girder load arch pier truss river bolt deck",
    "bread": "bread dough flour yeast oven crust knead sourdough rise loaf salt bake",
    "comets": "comet orbit tail ice dust sun nucleus telescope meteor sky coma ellipse",
    "violins": "violin bow string varnish spruce maple bridge tone luthier scroll peg neck",
    "glaciers": "glacier ice moraine melt valley crevasse snow retreat alps tongue debris stream",
}


def note(number: int) -> tuple[str, str, str]:
    """Topic, title and text of a note."""
    names = list(TOPICS)
    topic = names[number % len(names)]
    words = TOPICS[topic].split()
    chosen = [words[(number // len(names) + step * 5) % len(words)] for step in range(7)]
    if number % 6 == number // 6 % 6:
        chosen += TOPICS[names[(number + 1) % len(names)]].split()[:3]
    title = f"{chosen[0].capitalize()} and {chosen[1]}, note {number}"
    text = f"What we saw of the {chosen[0]}: {' '.join(chosen)}. Then the {chosen[2]} beside the {chosen[3]}."
    return topic, title, text


def zip_of_notes(n: int) -> bytes:
    """A zip of Markdown notes with front matter."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for number in range(n):
            topic, title, text = note(number)
            archive.writestr(
                f"notes/{topic}/note-{number:03d}.md",
                f"---\ntitle: {title}\ntags: [{topic}]\n---\n\n# {title}\n\n{text}\n",
            )
    return file.getvalue()


def bibliography(n: int) -> bytes:
    """BibTeX entries."""
    entries = []
    for number in range(n):
        topic, title, text = note(number)
        entries.append(
            f"@article{{{topic}{number},\n  title = {{{title}}},\n  author = {{Ito, Mina and Roe, {topic.title()}}},\n"
            f"  year = {{{1990 + number % 30}}},\n  keywords = {{{topic}, field notes}},\n  abstract = {{{text}}}\n}}\n"
        )
    return "\n".join(entries).encode()


def sheet(n: int) -> bytes:
    """An Excel sheet with a head row."""
    from openpyxl import Workbook

    book = Workbook()
    page = book.active
    page.append(["id", "title", "text", "topic", "year"])
    for number in range(n):
        topic, title, text = note(number)
        page.append([f"n{number}", title, text, topic, 1990 + number % 30])
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def pdf(n: int) -> bytes:
    """A PDF of n pages, written object by object."""
    objects = [b"<< /Type /Catalog /Pages 2 0 R >>", b"", b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"]
    kids = []
    for number in range(n):
        _, title, text = note(number)
        stream = f"BT /F1 11 Tf 50 780 Td ({title}) Tj 0 -20 Td ({text}) Tj ET".encode("latin-1")
        objects.append(b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream))
        objects.append(
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 900 842] /Contents %d 0 R"
            b" /Resources << /Font << /F1 3 0 R >> >> >>" % len(objects)
        )
        kids.append(b"%d 0 R" % len(objects))
    objects[1] = b"<< /Type /Pages /Count %d /Kids [%s] >>" % (n, b" ".join(kids))
    file, starts = io.BytesIO(b"%PDF-1.4\n"), []
    file.seek(0, io.SEEK_END)
    for number, content in enumerate(objects, start=1):
        starts.append(file.tell())
        file.write(b"%d 0 obj\n%s\nendobj\n" % (number, content))
    table = file.tell()
    file.write(b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1))
    file.write(b"".join(b"%010d 00000 n \n" % start for start in starts))
    file.write(b"trailer << /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, table))
    return file.getvalue()
