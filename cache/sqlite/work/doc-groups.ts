/** Rows that stand in the order of their docs, by doc. */
export function byDoc<Row extends { readonly task: number; readonly doc: number }>(rows: readonly Row[]): Row[][] {
  const groups: Row[][] = []
  for (const row of rows) {
    const last = groups.at(-1)
    if (last?.[0]?.doc === row.doc && last[0].task === row.task) last.push(row)
    else groups.push([row])
  }
  return groups
}
