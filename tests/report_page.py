"""Read a page that --html wrote, and check what every page must keep: well-formed, whole, and nothing from elsewhere."""
import json
from html.parser import HTMLParser

VOID = {"meta", "link", "img", "br", "input"}
FETCHED = {"link", "img", "iframe", "object", "embed", "audio", "video", "source", "base", "form"}


class Page(HTMLParser):
    """title, h1, text (as printed), command, data (replies and charts), problems."""

    def __init__(self, path):
        super().__init__()
        self.open, self.problems, self.texts, self.meta, self.scripts = [], [], {}, {}, []
        with open(path, encoding="utf-8") as file:
            source = file.read()
        self.feed(source)
        self.close()
        if self.open:
            self.problems.append(f"open at the end: {self.open}")
        if not source.startswith("<!DOCTYPE html>"):
            self.problems.append("no document type")
        if "default-src 'none'" not in self.meta.get("Content-Security-Policy", ""):
            self.problems.append("no policy against requests")
        self.title, self.h1 = self.texts.get("title", ""), self.texts.get("h1", "")
        self.text, self.command = self.texts.get("pre#report", ""), self.meta.get("command", "")
        raw = self.texts.get("script#data", "")
        if "<" in raw:
            self.problems.append("the data could end their script")
        self.data = json.loads(raw)
        self.replies, self.charts = self.data["replies"], self.data["charts"]
        self.result = next(iter(self.replies.values()))
        if self.data["title"] != self.title or self.h1 != self.title:
            self.problems.append("the titles differ")

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        name = tag + ("#" + values["id"] if "id" in values else "")
        if tag == "meta":
            self.meta[values.get("name") or values.get("http-equiv") or "charset"] = values.get("content", "")
        if tag in FETCHED or "src" in values or not values.get("href", "#").startswith("#"):
            self.problems.append(f"something is fetched: {self.get_starttag_text()[:80]}")
        if tag not in VOID:
            self.open.append((tag, name))

    def handle_endtag(self, tag):
        if not self.open or self.open[-1][0] != tag:
            self.problems.append(f"</{tag}> at {self.getpos()} closes {self.open[-1:]}")
        else:
            self.open.pop()

    def handle_data(self, data):
        if self.open:
            name = self.open[-1][1]
            self.texts[name] = self.texts.get(name, "") + data
            if name == "style" and ("@import" in data or "url(" in data):
                self.problems.append("the style fetches something")

    def bars(self, chart):
        """Values of a chart, lane by lane, without those that are not drawn."""
        return [value for lane in self.charts[chart]["lanes"] for value in lane["values"] if value]

    def summary(self):
        return self.title, [chart["title"] for chart in self.charts], self.problems or "sound"
