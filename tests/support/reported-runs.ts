import { makeComparedDocs } from '../../cache/facts/compared-doc.js'
import type { Aggregate, ScoreBody } from '../../cache/records.js'
import type { FailedItem, Sample, Store } from '../../cache/store.js'
import type { ReportedScores } from '../../src/present/files/reported-run.js'
import { someRun } from './report-data.js'

/** A run with these results, in a store that holds these docs. */
export function reportedRun(
  name: string,
  {
    aggregates = [],
    samples = [],
    tasks = ['shapes_vqa'],
    failures = [],
  }: {
    readonly aggregates?: readonly Aggregate[]
    readonly samples?: readonly Sample[]
    readonly tasks?: readonly string[]
    readonly failures?: readonly FailedItem[]
  },
): ReportedScores {
  const [task] = someRun.asked.tasks
  if (task === undefined) throw new Error('the run of tests has no task')
  const run = { ...someRun, name, asked: { ...someRun.asked, tasks: tasks.map(own => ({ ...task, name: own })) } }
  const judgement = { ref: 1, run: run.ref, number: 1, tasks: [], createdAt: 0, finishedAt: 1, aggregates }
  async function* read(): AsyncGenerator<Sample> {
    for (const sample of samples) yield await Promise.resolve(sample)
  }
  // The formats and the leaderboard read nothing else of a store.
  const runs = { tags: () => Promise.resolve(new Map<number, readonly string[]>()) }
  const judgements = { samples: read, comparedDocs: () => makeComparedDocs(read()) }
  const store = { judgements, runs } as unknown as Store
  return { store, run, judgement, failures }
}

/** A doc with one answer, whose score is the value of `exact_match` unless the scoring says otherwise. */
export const scoredSample = (
  index: number,
  value: number,
  changes: Partial<Sample> & { readonly text?: string; readonly scoring?: Partial<ScoreBody> } = {},
): Sample => {
  const { text = 'blue', scoring, ...rest } = changes
  return {
    task: 0,
    index,
    id: `q${index}`,
    record: { target: 'red', doc: {} },
    items: [
      {
        choice: 0,
        sample: 0,
        response: { body: { text, finishReason: 'stop' }, meta: { durationMs: 1500, attempts: 1, answeredAt: 0 } },
      },
    ],
    score: { outcome: 'scored', values: { exact_match: value }, extracted: { none: text }, ...scoring },
    ...rest,
  }
}

export async function textOf(parts: Iterable<string> | AsyncIterable<string>): Promise<string> {
  let text = ''
  for await (const part of parts) text += part
  return text
}

/** Texts with everything that a format could interpret. */
export const hostileTexts: readonly string[] = [
  '=HYPERLINK("http://example.com","x")',
  '+1',
  '-1+2',
  '@SUM(A1)',
  "'=1",
  '\t=1',
  '  =1',
  '＝1',
  'a,b;"c"\td',
  'two\nlines\r\nand\rmore',
  ' spaces around ',
  '| a | b |',
  '<script>alert(1)</script> & &amp; ]]> <![CDATA[ <!-- -->',
  '`code` **bold** _it_ [x](y) ~~z~~ a_b $1$ \\',
  '\\input{/etc/passwd} % $#_{}~^ -- [2pt] *',
  '\u0000\u0001\u001b[31mred\u0007\u009b2J',
  '\u202egnp.exe \u2028 \u200f',
  'half \ud83d, whole 🎈',
  '\ufffe\uffff',
  '你好',
]
