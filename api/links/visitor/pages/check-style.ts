/**
 * The page of a check: what goes on beside what it is about; below one another where it is narrow.
 */
export const checkStyle = `
.notice{padding-inline-start:.75rem;border-inline-start:.25rem solid var(--wait)}
.asker{display:flex;gap:.75rem;align-items:center;margin-block-end:1rem}
.asker p{margin:0;line-height:1.35}
.mark{inline-size:2.75rem;block-size:2.75rem;flex:none;display:grid;place-items:center;
  border-radius:.75rem;background:var(--tint);color:var(--accent);font-weight:700;font-size:1.25rem}
.who{display:block;font-weight:600;overflow-wrap:anywhere}
.verified{color:var(--good);font-size:.875rem;font-weight:600}
.lead{font-size:1.0625rem;max-width:46rem}
h1,.lead{overflow-wrap:anywhere}
.columns{display:grid;gap:1rem;margin-block:1.5rem}
.told{display:grid;gap:1rem;align-content:start}
.told ul,.told ol{margin:0;padding-inline-start:1.25rem}
.told li+li{margin-block-start:.375rem}
.told section>:last-child,footer>:last-child{margin-block-end:0}
@media (min-width:50rem){
  .columns{grid-template-columns:minmax(18rem,24rem) 1fr;align-items:start}
  .now{position:sticky;inset-block-start:1rem}}
.now h2{font-weight:600;margin:0 0 .375rem}
#state{margin:0 0 1rem;padding-inline-start:.75rem;border-inline-start:.25rem solid var(--accent)}
#state strong{display:block;font-size:1.25rem;line-height:1.3}
#state[data-state=passed]{border-color:var(--good)}
#state[data-state=passed] strong{color:var(--good)}
#state:is([data-state=failed],[data-state=stuck]){border-color:var(--bad)}
#state:is([data-state=failed],[data-state=stuck]) strong{color:var(--bad)}
#state:is([data-state=requires_retry],[data-state=in_review]){border-color:var(--wait)}
#state:is([data-state=requires_retry],[data-state=in_review]) strong{color:var(--wait)}
#state:is([data-state=declined],[data-state=expired],[data-state=abandoned],[data-state=canceled],
  [data-state=consumed],[data-state=paused],[data-state=scheduled]){border-color:var(--soft)}
#code svg{display:block;inline-size:min(100%,15rem);block-size:auto;margin:0 auto 1rem;
  background:#fff;border-radius:.75rem;padding:.5rem;border:.0625rem solid var(--line)}
#scan{display:flex;flex-direction:column}
#scan p{text-align:center}
.wide{display:block}
.narrow{display:none}
/* On a screen that can be another one than the phone's, the code is what comes first. */
@media (min-width:30.0625rem){#code{order:-1}}
@media (max-width:30rem){.wide{display:none}.narrow{display:block}
  #app{display:flex;justify-content:center;background:var(--accent);color:var(--sheet)}}
.now>p:has(#go){margin:0}
#history{list-style:none;margin:0;padding:0;font-size:.9375rem}
#history li{display:flex;gap:.75rem;padding-block:.3125rem;
  border-block-start:.0625rem solid var(--line)}
#history time{color:var(--soft);font-variant-numeric:tabular-nums;flex:none}
#zone{margin:.5rem 0 0}
.proofs{list-style:none}
.told .proofs{padding:0}
.proofs li{display:grid;grid-template-columns:1fr auto;column-gap:1rem;padding-block:.5rem}
.proofs li+li{border-block-start:.0625rem solid var(--line);margin:0}
.proofs .name{font-weight:600}
.proofs .soft{grid-column:1;font-size:.9375rem}
.proofs .verdict{grid-column:2;grid-row:1/span 2;align-self:center;text-align:end;font-weight:600;
  font-size:.9375rem;max-inline-size:12rem}
@media (max-width:30rem){.proofs li{grid-template-columns:1fr}
  .proofs .verdict{grid-area:auto;text-align:start;max-inline-size:none}}
[data-verdict=passed] .verdict{color:var(--good)}
[data-verdict=failed] .verdict{color:var(--bad)}
:is([data-verdict=requires_retry],[data-verdict=in_review]) .verdict{color:var(--wait)}
/* A tick that is drawn, since not every font has one. */
:is(.verified,#state[data-state=passed] strong,[data-verdict=passed] .verdict)::before{
  content:"";display:inline-block;inline-size:.4em;block-size:.75em;margin-inline:.1em .5em;
  border:solid currentColor;border-width:0 .15em .15em 0;transform:translateY(-.1em) rotate(45deg)}
footer p{margin:0 0 .25rem}
`;
