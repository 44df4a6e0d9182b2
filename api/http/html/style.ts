/**
 * What every page of ours looks like: calm, readable, in light and in dark, in either direction.
 */
export const baseStyle = `
:root{color-scheme:light dark;
  --ground:#f5f6f8;--sheet:#fff;--ink:#1a2029;--soft:#505a69;--line:#dde1e8;
  --accent:#1d5bbf;--good:#14693a;--bad:#ad241b;--wait:#7d4e00;--tint:#eaf0fb;
  font:1rem/1.55 system-ui,"Segoe UI",Roboto,"Noto Sans",sans-serif}
@media (prefers-color-scheme:dark){:root{
  --ground:#11151b;--sheet:#191f28;--ink:#e8ebf0;--soft:#a8b1bf;--line:#303846;
  --accent:#90b6ff;--good:#73d79c;--bad:#ff9d94;--wait:#f2c170;--tint:#1e2a40}}
*,::before,::after{box-sizing:border-box}
body{margin:0;background:var(--ground);color:var(--ink)}
main{margin-inline:auto;padding:clamp(1rem,4vw,2.5rem);max-width:64rem}
h1{font-size:clamp(1.4rem,1.1rem + 1.6vw,2rem);line-height:1.2;
  margin:.25rem 0 .75rem;text-wrap:balance}
h2{font-size:1.05rem;line-height:1.3;margin:0 0 .5rem}
p{margin:0 0 .75rem}
a{color:var(--accent);text-underline-offset:.15em}
code,pre{font:.875rem/1.5 ui-monospace,"Cascadia Mono",Menlo,monospace;overflow-wrap:anywhere}
pre{background:var(--ground);padding:.75rem;border-radius:.5rem;
  white-space:pre-wrap;margin:.5rem 0 0}
:focus-visible{outline:.1875rem solid var(--accent);outline-offset:.1875rem;border-radius:.25rem}
button,.button{font:inherit;font-weight:600;min-height:2.75rem;padding:.5rem 1.25rem;
  border:.0625rem solid var(--accent);border-radius:.5rem;cursor:pointer;background:transparent;
  color:var(--accent);display:inline-flex;align-items:center;text-decoration:none}
button.main,.button.main{background:var(--accent);color:var(--sheet)}
[hidden]{display:none!important}
.sheet{background:var(--sheet);border:.0625rem solid var(--line);border-radius:.875rem;
  padding:clamp(1rem,3vw,1.5rem)}
.sheet>:last-child{margin-block-end:0}
.soft{color:var(--soft)}
.small{font-size:.875rem}
@media (prefers-reduced-motion:no-preference){:root{scroll-behavior:smooth}}
`;
