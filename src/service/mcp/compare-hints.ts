import type { CompareHints } from '../../reading/comparing/compare-runs.js'

/** The steps that messages of comparisons tell an agent to take. */
export const compareHints: CompareHints = {
  judge: ({ name }) => `submit its evaluation again (run ${name})`,
  report: ({ name }) => `get_run_result("${name}", include_samples=true)`,
}
