/** The verifier: a form, and below it the verdict, which alone is printed. */
export const verifierStyle = `
main{max-width:48rem}
.lead{font-size:1.0625rem}
.notice{padding-inline-start:.75rem;border-inline-start:.25rem solid var(--wait)}
form label{display:block;font-weight:600;margin-block:1rem .25rem}
form details{margin-block-start:1rem}
summary{cursor:pointer;font-weight:600;color:var(--accent)}
input,textarea{font:inherit;color:inherit;max-inline-size:100%;min-block-size:2.75rem}
textarea,input[type=datetime-local]{background:var(--ground);
  border:.0625rem solid var(--soft);border-radius:.5rem;padding:.5rem}
textarea{inline-size:100%;font:.8125rem/1.4 ui-monospace,"Cascadia Mono",Menlo,monospace;
  overflow-wrap:anywhere}
#drop{border:.125rem dashed var(--line);border-radius:.75rem;padding:0 1rem;
  overflow-wrap:anywhere}
#drop[data-over]{border-color:var(--accent);background:var(--tint)}
.do{display:flex;gap:.75rem;margin-block:1.25rem 0}
button:disabled{opacity:.6;cursor:progress}
#state{margin-block:1.25rem;padding-inline-start:.75rem;
  border-inline-start:.25rem solid var(--accent);overflow-wrap:anywhere}
#state strong{display:block;font-size:1.5rem;line-height:1.3}
#state[data-state=valid]{border-color:var(--good)}
#state[data-state=valid] strong{color:var(--good)}
#state:is([data-state=invalid],[data-state=stuck]){border-color:var(--bad)}
#state:is([data-state=invalid],[data-state=stuck]) strong{color:var(--bad)}
#state[data-state=indeterminate]{border-color:var(--wait)}
#state[data-state=indeterminate] strong{color:var(--wait)}
#answer{margin-block-end:1.25rem}
#answer h2{margin-block-start:1.25rem}
.plain{list-style:none;margin:0;padding:0;overflow-wrap:anywhere}
.plain.notice{padding-inline-start:.75rem;margin-block-end:.75rem}
.plain li{padding-block:.125rem}
#end{font-weight:600;margin-block-start:.5rem}
#checks .small{display:block;font-weight:400;margin-inline-start:1.25rem}
[data-result=ok]{color:var(--good)}
[data-result=failed]{color:var(--bad);font-weight:600}
[data-result=skipped]{color:var(--soft)}
@media print{form,#save,main>.small,.lead{display:none!important}
  :root{--ground:#fff;--sheet:#fff;--ink:#000;--soft:#333;--line:#999;
    --good:#14693a;--bad:#ad241b;--wait:#7d4e00}
  .sheet{border:0;padding:0}}
`;
