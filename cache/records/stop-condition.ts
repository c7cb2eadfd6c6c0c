/** The condition under which a task of a run has enough docs. It is checked on the value `metric`, by default the task's first. */
export type StopCondition = { readonly metric?: string } & (
  { readonly type: 'half-width'; readonly below: number } | { readonly type: 'decided'; readonly run: string }
)
