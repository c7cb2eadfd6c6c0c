import { present } from '../../../../base/values/present.js'
import type { Json } from '../../../../base/values/canonical-json.js'
import type { JsonObject } from '../../../../cache/records.js'
import { largestRecordLimit } from '../../../../base/files/record-limit.js'
import { shownPath } from '../../../../base/files/shown-path.js'
import { textLines } from '../../../../stages/input/datasets/text-lines.js'
import type { ReportedScore } from '../../foreign-log.js'
import { fieldsIn, listIn, nameIn, numberIn, parseFields, textIn } from '../loose-values.js'

interface Reported {
  readonly reported: readonly ReportedScore[]
  readonly higherIsBetter: Readonly<Record<string, boolean>>
  readonly aggregations: Readonly<Record<string, string>>
}

/** Reports round scores to as many digits. */
const roundedTo = 4

/** Reads the scores that a report states for one subset. */
export async function reportedScores(
  report: JsonObject,
  { subset, reviews }: { readonly subset: string; readonly reviews?: string | undefined },
): Promise<Reported> {
  const names = reviews === undefined ? [] : await scoreNames(reviews)
  const reported: ReportedScore[] = []
  const higherIsBetter: Record<string, boolean> = {}
  const aggregations: Record<string, string> = {}
  for (const value of listIn(report['metrics']) ?? []) {
    const metric = metricName(value, names)
    const entry = subsetIn(value, subset)
    const score = numberIn(entry?.['score'])
    if (metric === undefined || score === undefined) continue
    reported.push({ metric, value: score, digits: roundedTo, ...present({ n: numberIn(entry?.['num']) }) })
    const aggregation = nameIn(fieldsIn(fieldsIn(value)?.['identity'])?.['aggregation'])
    if (aggregation !== undefined) aggregations[metric] = aggregation
    const direction = fieldsIn(fieldsIn(value)?.['semantics'])?.['direction']
    if (direction === 'higher_is_better' || direction === 'lower_is_better')
      higherIsBetter[metric] = direction === 'higher_is_better'
  }
  return { reported, higherIsBetter, aggregations }
}

function subsetIn(metric: Json, subset: string): JsonObject | undefined {
  for (const category of listIn(fieldsIn(metric)?.['categories']) ?? [])
    for (const entry of listIn(fieldsIn(category)?.['subsets']) ?? [])
      if (fieldsIn(entry)?.['name'] === subset) return fieldsIn(entry)
  return undefined
}

/** The names of scores in the first review. */
async function scoreNames(reviews: string): Promise<readonly string[]> {
  for await (const lines of textLines(reviews, largestRecordLimit)) {
    const [line] = lines.filter(text => text.trim() !== '')
    if (line === undefined) continue
    const score = fieldsIn(fieldsIn(parseFields(line, () => `${shownPath(reviews)}:1`)['sample_score'])?.['score'])
    return Object.keys(fieldsIn(score?.['value']) ?? {})
  }
  return []
}

/**
 * Finds a report's metric among the names in reviews. A report names a metric by its parts (`rouge` with `variant: l` and `statistic: recall`), a
 * review by one name (`Rouge-L-R`). The parts are converted to the reviews' spelling and compared.
 */
function metricName(value: Json, names: readonly string[]): string | undefined {
  const metric = fieldsIn(value)
  const identity = fieldsIn(metric?.['identity'])
  const base = nameIn(metric?.['legacy_name']) ?? nameIn(identity?.['name']) ?? nameIn(metric?.['name'])
  if (base === undefined) return undefined
  const { statistic, ...others } = fieldsIn(identity?.['dimensions']) ?? {}
  const initial = textIn(statistic)?.slice(0, 1)
  const joined = [base, ...Object.values(others).map(String), ...(initial === undefined ? [] : [initial])].join('-')
  return names.find(name => name.toLowerCase() === joined.toLowerCase()) ?? joined
}
