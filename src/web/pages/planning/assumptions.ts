import type { PowerQuery } from '../../../present/page/data/index.js'

type AssumptionName = Exclude<keyof PowerQuery, 'run' | 'against'>

interface AssumptionField {
  readonly name: AssumptionName
  readonly title: string
  /** The default, for a person. */
  readonly initial: string
  readonly least: number
  readonly most?: number
  readonly step: number | 'any'
}

/** The assumptions of a plan, with the defaults and limits of `pipeline power`. */
export const assumptionFields: readonly AssumptionField[] = [
  { name: 'effect', title: 'Difference to find', initial: '0.03', least: 0, step: 'any' },
  { name: 'std', title: 'Standard deviation', initial: '0.5', least: 0, step: 'any' },
  { name: 'correlation', title: 'Correlation', initial: '0.5', least: -1, most: 1, step: 'any' },
  { name: 'docs', title: 'Docs that there are', initial: 'unknown', least: 2, step: 1 },
  { name: 'clusterSize', title: 'Docs of a cluster', initial: '1', least: 1, step: 'any' },
  { name: 'icc', title: 'Correlation in clusters', initial: '0', least: 0, most: 1, step: 'any' },
  { name: 'alpha', title: 'False alarms (α)', initial: '0.05', least: 0, most: 1, step: 'any' },
  { name: 'power', title: 'Power', initial: '0.8', least: 0, most: 1, step: 'any' },
]

/** Reads the assumptions in an address. Texts that are no numbers are left out. */
export const readAssumptions = (query: Readonly<Record<string, string>>): PowerQuery =>
  Object.fromEntries(
    assumptionFields.flatMap(({ name }) => {
      const text = query[name]?.trim() ?? ''
      return text === '' || !Number.isFinite(Number(text)) ? [] : [[name, Number(text)]]
    }),
  )
