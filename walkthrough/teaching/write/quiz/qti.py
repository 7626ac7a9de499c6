"""A quiz as QTI 1.2: a section for each step, of which one variant is drawn. Blanks compare texts: all are listed."""

from __future__ import annotations

import html
from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import BinaryIO
from xml.etree import ElementTree as ET
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from walkthrough.teaching.sheet import Sheet, SheetError
from walkthrough.teaching.write.quiz.question import HIDDEN, Accepted, Question, questions
from walkthrough.text import escape_label

MOST_TEXTS = 400
LARGEST_POWER = 25.0
"""Numbers are drawn so: of e^x, with x rounded, the more numbers are right the larger it is, and a sum adds them up."""
_QTI = "http://www.imsglobal.org/xsd/ims_qtiasiv1p2"
_PACKAGE = "http://www.imsglobal.org/xsd/imscp_v1p1"


def write(sheets: Sequence[Sheet], out: BinaryIO) -> None:
    """Writes the package. Raises SheetError where a cell has too many right numbers to list."""
    root = ET.Element("questestinterop", xmlns=_QTI)
    assessment = ET.SubElement(root, "assessment", ident="walkthrough", title=escape_label(sheets[0].hand.title))
    all_steps = ET.SubElement(assessment, "section", ident="root_section")
    for number, variants in enumerate(questions(sheets), 1):
        section = ET.SubElement(all_steps, "section", ident=f"step{number}", title=variants[0].title)
        selection = ET.SubElement(ET.SubElement(section, "selection_ordering"), "selection")
        ET.SubElement(selection, "selection_number").text = "1"
        ET.SubElement(ET.SubElement(selection, "selection_extension"), "points_per_item").text = "1"
        for variant, question in enumerate(variants, 1):
            _add(section, question, f"step{number}_{variant}")
    with ZipFile(out, "w", ZIP_DEFLATED) as package:
        _put(package, "imsmanifest.xml", _manifest())
        _put(package, "assessment.xml", root)


def _add(section: ET.Element, question: Question, ident: str) -> None:
    item = ET.SubElement(section, "item", ident=ident, title=question.name)
    fields = ET.SubElement(ET.SubElement(item, "itemmetadata"), "qtimetadata")
    for label, entry in (("question_type", "fill_in_multiple_blanks_question"), ("points_possible", "1")):
        field = ET.SubElement(fields, "qtimetadatafield")
        ET.SubElement(field, "fieldlabel").text = label
        ET.SubElement(field, "fieldentry").text = entry
    presentation = ET.SubElement(item, "presentation")
    _material(presentation, question.html(lambda row, column: f"[{_blank(row, column)}]"), "text/html")
    processing = ET.SubElement(item, "resprocessing")
    outcomes = ET.SubElement(processing, "outcomes")
    ET.SubElement(outcomes, "decvar", maxvalue="100", minvalue="0", varname="SCORE", vartype="Decimal")
    accepted = question.accepted()
    for (row, column), one in accepted.items():
        share = Decimal(100) / len(accepted)
        texts = _listed(question, row, column, one)
        _blank_of(presentation, processing, _blank(row, column), texts, f"{share:.6f}")
    feedback = ET.SubElement(item, "itemfeedback", ident="general_fb")
    _material(ET.SubElement(feedback, "flow_mat"), f"<p>{html.escape(question.note)}</p>", "text/html")
    condition = ET.SubElement(processing, "respcondition", {"continue": "Yes"})
    ET.SubElement(ET.SubElement(condition, "conditionvar"), "other")
    ET.SubElement(condition, "displayfeedback", feedbacktype="Response", linkrefid="general_fb")


def _blank_of(presentation: ET.Element, processing: ET.Element, name: str, texts: Sequence[str], share: str) -> None:
    """A blank with the texts that are right in it, each worth its share."""
    response = ET.SubElement(presentation, "response_lid", ident=f"response_{name}")
    _material(response, name, "text/plain")
    choice = ET.SubElement(response, "render_choice")
    condition = ET.SubElement(processing, "respcondition", {"continue": "Yes"})
    either = ET.SubElement(ET.SubElement(condition, "conditionvar"), "or")
    for at, text in enumerate(texts, 1):
        _material(ET.SubElement(choice, "response_label", ident=f"{name}_{at}"), text, "text/plain")
        ET.SubElement(either, "varequal", respident=f"response_{name}").text = f"{name}_{at}"
    ET.SubElement(condition, "setvar", varname="SCORE", action="Add").text = share


def _blank(row: int, column: int) -> str:
    return f"r{row + 1}c{column + 1}"


def _listed(question: Question, row: int, column: int, accepted: Accepted) -> list[str]:
    """All texts that are right in a cell. Raises SheetError where they are too many."""
    if accepted.word is not None:
        return [escape_label(accepted.word)]
    if accepted.by_hand.is_infinite():
        return list(HIDDEN)
    found: dict[str, None] = {}
    for number in _numbers(question, row, column, accepted):
        for text in _texts(number):
            found[text] = None
        if len(found) > MOST_TEXTS:
            value = question.step.value
            raise SheetError(
                f"{value.path}[{escape_label(value.rows[row])}, {escape_label(value.columns[column])}] has more than "
                f"{MOST_TEXTS} right texts, too many to list; ask for fewer digits with --decimals"
            )
    return list(found)


def _numbers(question: Question, row: int, column: int, accepted: Accepted) -> Iterator[Decimal]:
    """The numbers of an interval as far from the one by hand as its farther end, with the digits asked for."""
    reach = max(accepted.by_hand - accepted.low, accepted.high - accepted.by_hand)
    number = accepted.by_hand
    yield number
    for way in (-1, 1):
        number = accepted.by_hand
        while True:
            places = question.step.decimals(float(number), row, column)
            number = number + way * Decimal(1).scaleb(-places)
            if abs(number - accepted.by_hand) > reach:
                break
            yield number


def _texts(number: Decimal) -> Iterator[str]:
    """With zeros at the end and without, with point and with comma."""
    long = f"{number + 0:f}"
    short = long.rstrip("0").rstrip(".") if "." in long else long
    for text in (long, short):
        yield text if text != "-0" else "0"
        yield text.replace(".", ",") if text != "-0" else "0"


def _material(parent: ET.Element, text: str, kind: str) -> None:
    ET.SubElement(ET.SubElement(parent, "material"), "mattext", texttype=kind).text = text


def _manifest() -> ET.Element:
    root = ET.Element("manifest", xmlns=_PACKAGE, identifier="walkthrough_quiz")
    metadata = ET.SubElement(root, "metadata")
    ET.SubElement(metadata, "schema").text = "IMS Content"
    ET.SubElement(metadata, "schemaversion").text = "1.1.3"
    ET.SubElement(root, "organizations")
    resources = ET.SubElement(root, "resources")
    resource = ET.SubElement(resources, "resource", identifier="walkthrough", type="imsqti_xmlv1p2")
    resource.set("href", "assessment.xml")
    ET.SubElement(resource, "file", href="assessment.xml")
    return root


def _put(package: ZipFile, name: str, root: ET.Element) -> None:
    """Puts a document into the package; without the time, so that the same quiz is the same bytes."""
    ET.indent(root)
    info = ZipInfo(name)
    info.compress_type = ZIP_DEFLATED
    package.writestr(info, ET.tostring(root, encoding="utf-8", xml_declaration=True) + b"\n")
