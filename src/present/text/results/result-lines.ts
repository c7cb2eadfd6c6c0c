import { failedDocs } from '../../../reading/samples/failed-docs.js'
import type { Results } from '../../json/results-json.js'
import { indentLines } from '../layout/table.js'
import type { Paint } from '../layout/paint.js'
import { gateLines } from './gate-lines.js'
import { judgeLines } from './judge-lines.js'
import { resultTable, shownNames } from './result-table.js'

/**
 * Formats the scores of a run, with its baseline if it has one, then its gates.
 *
 * @param unjudged the line of a run without scores
 */
export function resultLines(
  { run, judgement, failures, assessment }: Pick<Results, 'run' | 'judgement' | 'failures' | 'assessment'>,
  unjudged: string,
  paint: Paint,
): string[] {
  const aggregates = judgement?.aggregates
  const scores =
    aggregates === undefined
      ? [unjudged]
      : [
          ...indentLines(
            within => resultTable(aggregates, failedDocs(failures), within, shownNames(run), assessment?.baseline),
            paint,
          ),
          ...judgeLines(aggregates).map(line => `  ${line}`),
        ]
  return assessment === undefined
    ? scores
    : [...scores, '', ...indentLines(within => gateLines(assessment, within), paint)]
}
