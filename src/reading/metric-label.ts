/** `exact_match`, or `exact_match,strict` with a named filter pipeline. */
export const metricLabel = ({ metric, filter }: { readonly metric: string; readonly filter: string }): string =>
  filter === 'none' ? metric : `${metric},${filter}`
