"""A page that shows a network as it is: the picture, fetched again every few seconds."""

from __future__ import annotations

from html import escape

_PAGE = """\
<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>
body{{margin:0;font:14px system-ui,sans-serif;background:#fdfdfc;color:#66717f}}
main{{max-width:1200px;margin:16px auto;padding:0 16px}}svg{{width:100%;height:auto}}
@media(prefers-color-scheme:dark){{body{{background:#12161c;color:#9aa7b5}}}}
</style></head>
<body><main><div id="network">{picture}</div><p id="state"></p></main>
<script>
const network = document.getElementById("network"), state = document.getElementById("state");
async function look() {{
  try {{
    const answer = await fetch({address}, {{cache: "no-store"}});
    if (!answer.ok) throw new Error(answer.status);
    network.innerHTML = await answer.text();
    state.textContent = "as of " + new Date().toLocaleTimeString();
  }} catch (error) {{
    state.textContent = "The network does not answer (" + error.message + "); this is its last picture.";
  }}
}}
setInterval(look, {milliseconds});
</script></body></html>
"""


def as_page(picture: str, title: str = "Network", address: str = "network.svg", seconds: float = 2.0) -> str:
    """HTML with a picture in it, which is replaced by the one at an address, relative to the page."""
    quoted = '"' + address.replace("\\", "\\\\").replace('"', '\\"').replace("<", "\\u003c") + '"'
    return _PAGE.format(
        title=escape(title), picture=picture, address=quoted, milliseconds=round(seconds * 1000)
    )
