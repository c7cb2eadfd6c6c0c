import type { CompareHints } from '../../reading/comparing/compare-runs.js'
import type { Tools } from '../command.js'
import { storeFlag } from './store-flag.js'

/** The commands that messages of comparisons tell a person to type. */
export function compareHints(storeDir: string, { env }: Pick<Tools, 'env'>): CompareHints {
  const flag = storeFlag(storeDir, env)
  return {
    judge: ({ name }) => `pipeline judge ${name}${flag}`,
    report: ({ name }) => `pipeline report ${name}${flag}`,
  }
}
