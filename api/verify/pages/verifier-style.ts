/** Style of the verifier: a form, and below it the verdict. Only the verdict is printed. */
export const verifierStyle = `
main{max-width:48rem}
form label{margin-block:var(--space-4) 0}
summary{color:var(--accent)}
textarea{font:.8125rem/1.4 ui-monospace,"Cascadia Mono",Menlo,monospace}
textarea+p{margin-block-start:var(--space-3)}
#drop{border:.125rem dashed var(--line);border-radius:var(--radius);
  padding:0 var(--space-4) var(--space-1)}
#drop[data-over]{border-color:var(--accent);background:var(--tint)}
#drop p{margin-block:var(--space-2)}
#go:disabled{cursor:progress}
#state{margin-block:var(--space-5);padding-inline-start:var(--space-3);
  border-inline-start:.25rem solid var(--accent)}
#state strong{display:block;font-size:1.5rem;line-height:1.3}
#state[data-state=valid]{border-color:var(--good)}
#state[data-state=valid] strong{color:var(--good)}
#state:is([data-state=invalid],[data-state=stuck]){border-color:var(--bad)}
#state:is([data-state=invalid],[data-state=stuck]) strong{color:var(--bad)}
#state[data-state=indeterminate]{border-color:var(--wait)}
#state[data-state=indeterminate] strong{color:var(--wait)}
#answer{margin-block-end:var(--space-5)}
#answer h2{margin-block-start:var(--space-5)}
.plain{list-style:none;margin:0;padding:0}
.plain.notice{display:block;padding:var(--space-3);margin-block-end:var(--space-3)}
.plain li{padding-block:.125rem}
#end{font-weight:600;margin-block-start:var(--space-2)}
#checks .small{display:block;font-weight:400;margin-inline-start:1.25rem}
[data-result=ok]{color:var(--good)}
[data-result=failed]{color:var(--bad);font-weight:600}
[data-result=skipped]{color:var(--soft)}
@media print{form,.actions,main>.small,.lead{display:none!important}
  .sheet{border:0;padding:0;box-shadow:none}}
`;
