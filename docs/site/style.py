"""The style of the pages of the site; the live pages have their own."""

STYLE = """
:root{color-scheme:light dark;--text:#1a1a1a;--soft:#555;--back:#fff;--line:#ccc;
--edge:#767676;--link:#14529f;--code:#f3f3f3}
@media(prefers-color-scheme:dark){:root{--text:#e6e6e6;--soft:#aaa;--back:#151515;--line:#444;
--edge:#8c8c8c;--link:#8ab8f0;--code:#222}}
body{margin:0;background:var(--back);color:var(--text);font:16px/1.5 system-ui,sans-serif}
main{max-width:72rem;margin:0 auto;padding:1rem;overflow-wrap:break-word}
p,li{max-width:45rem}
a{color:var(--link)}
code,pre{font-family:ui-monospace,monospace;font-size:.9em;background:var(--code)}
pre{padding:.6rem;overflow-x:auto;line-height:1.3}
table{border-collapse:collapse;display:block;overflow-x:auto;max-width:100%}
th,td{border:1px solid var(--line);padding:.2rem .6rem;text-align:left;vertical-align:top}
img{max-width:100%;height:auto;background:#fff}
.gallery{list-style:none;padding:0;display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,17rem),1fr));gap:1rem}
.gallery li{border:1px solid var(--line);border-radius:.4rem;padding:.8rem}
.gallery svg{width:100%;height:7rem;border-radius:.2rem}
.gallery h3{margin:.4rem 0;font-size:1.05rem}
.gallery p{margin:.4rem 0}
.note{color:var(--soft);font-size:.9rem}
"""
