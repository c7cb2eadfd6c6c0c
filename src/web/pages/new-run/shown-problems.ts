import type { NewRunPlan } from '../../../present/page/data/index.js'

interface FormState {
  /** The field to show problems of. `''` selects problems of no single field. */
  readonly field: string
  /** Fields that the person has changed. */
  readonly touched: ReadonlySet<string>
  /** True if the person has tried to start the run. */
  readonly isTried: boolean
}

/** A form that nobody has filled in is not wrong yet: a field's problems show once it was changed, and all of them at "Start". */
export const shownProblems = (
  problems: NewRunPlan['problems'],
  { field, touched, isTried }: FormState,
): readonly string[] =>
  isTried || touched.has(field) ? problems.filter(problem => problem.field === field).map(({ message }) => message) : []
