import type { Json } from '../../../../base/values/canonical-json.js'
import type { MissReason, MissReport } from '../../../../cache/store.js'
import { formatQuantity, formatCount } from '../../../../base/text/numbers.js'
import type { Paint } from '../layout/paint.js'
import { indentLines, table, type Column } from '../layout/table.js'
import { clip } from '../layout/width.js'

const columns: readonly Column[] = [
  { title: 'field', least: 16 },
  { title: 'first → second', least: 16 },
  { title: '', drop: 1 },
]

/** `900 of 900 requests differ, all in one place: config.generation.max_new_tokens  1024 → 2048` */
export function missLines({ shared, differing, reasons }: MissReport, paint: Paint): string[] {
  if (shared === 0) return ['the two runs have no doc of a task in common']
  if (differing === 0)
    return [`0 of ${formatCount(shared)} requests differ: each has the same key in both`, notCompared]
  const isOne = reasons.length === 1
  const rows = reasons.map(reason => [
    reason.path,
    change(reason),
    isOne ? '' : formatQuantity(reason.requests, 'request'),
  ])
  return [
    `${formatCount(differing)} of ${formatCount(shared)} requests differ${isOne ? ', all in one place' : ''}:`,
    ...indentLines(within => table(columns, rows, within), paint),
    ...remedy(reasons),
    notCompared,
  ]
}

/** The rest of what can change a score. */
const notCompared =
  'This compares requests of docs that both runs have. It does not compare targets, the judge and its rules, or docs of one run only: see  pipeline compare'

const change = ({ before, after, isUniform, example }: MissReason): string =>
  `${formatValue(before)} → ${formatValue(after)}${isUniform ? '' : `   (of ${example}; others have other values)`}`

const formatValue = (value: Json | undefined): string =>
  value === undefined ? 'not given' : clip(JSON.stringify(value), 36)

/** The flags that give the old answers, if flags can set everything that differs. */
function remedy(reasons: readonly MissReason[]): string[] {
  const prefix = 'config.generation.'
  const args = reasons.flatMap(({ path, before, isUniform }) => {
    const isTypeable = path.startsWith(prefix) && isUniform && before !== undefined && typeof before !== 'object'
    return isTypeable ? [`${path.slice(prefix.length)}=${String(before)}`] : []
  })
  return args.length < reasons.length ? [] : [`To reuse the old answers give --gen-kwargs ${args.join(',')}`]
}
