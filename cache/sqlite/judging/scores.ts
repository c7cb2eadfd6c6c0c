import { digestBytes, hexDigits, type CodeKey, type JudgeConfigKey, type ScoreKey } from '../../digest.js'
import { scoredDigest } from '../../facts/attempt-facts.js'
import type { AnsweredDoc, Judgement, ScoreBody } from '../../records.js'
import type { DocPlace, DraftScore, PlacedScore } from '../../store.js'
import type { Context } from '../connection/context.js'
import { readRowId } from '../work/interning.js'
import { pages } from '../pages.js'
import { type PlacedRow, computeScoreKey, lookedUp, placedScore, scoredRules } from '../../rows/judging/scores.js'
import { toText } from '../../rows/sums.js'

export const insertVerdict = (
  context: Context,
  judgement: Judgement,
  doc: { readonly task: number; readonly index: number },
  score: number,
): void =>
  void context
    .sql('INSERT OR REPLACE INTO verdict (judgement, task, doc, score) VALUES (?, ?, ?, ?)')
    .run(judgement.ref, doc.task, doc.index, score)

/** Stores scores of a judgement in one transaction. */
export function commitScores(context: Context, judgement: Judgement, scores: readonly DraftScore[]): Promise<void> {
  const prepared = scores.map(({ doc, body }) => ({ doc, outcome: body.outcome, text: toText(body) }))
  return context.commit.add(() => {
    const numbers = new Map<string, number>()
    const preimageNumber = (key: JudgeConfigKey | CodeKey): number => {
      const id = numbers.get(key) ?? readRowId(context, 'preimage', digestBytes(key))
      numbers.set(key, id)
      return id
    }
    for (const { doc, outcome, text } of prepared) {
      const { key, record } = lookUp(context, judgement, doc)
      const rules = scoredRules(judgement, doc.task)
      const score = keepScore(context, {
        key,
        answers: doc.answers.map(answer => hexDigits(scoredDigest(answer))).join(''),
        record,
        config: preimageNumber(rules.config),
        scorer: preimageNumber(rules.scorer),
        text,
        outcome,
      })
      insertVerdict(context, judgement, doc, score)
    }
  }, 'whenever')
}

function lookUp(context: Context, judgement: Judgement, doc: AnsweredDoc): { record: number; key: ScoreKey } {
  const remembered = lookedUp.get(doc)
  if (remembered?.judgement === judgement.ref) return remembered
  return {
    record: readRowId(context, 'record', digestBytes(doc.recordKey)),
    key: computeScoreKey(judgement, { ...doc, answers: doc.answers.map(scoredDigest) }),
  }
}

/** Stores a score and returns its number. It replaces the score of a failed judge with the same key. */
function keepScore(
  context: Context,
  score: {
    readonly key: ScoreKey
    /** The digests of the answers, of 64 hexadecimal digits each. */
    readonly answers: string
    readonly record: number
    readonly config: number
    readonly scorer: number
    readonly text: string
    readonly outcome: ScoreBody['outcome']
  },
): number {
  const { key, answers, record, config, scorer, text, outcome } = score
  const sum = context.sum(text)
  const inserted = context
    .sql(
      `INSERT INTO score (key, answers, record, config, scorer, body, sum, outcome) VALUES (unhex(?), unhex(?), ?, ?, ?, ?, ?, ?)
       ON CONFLICT (key) DO NOTHING`,
    )
    .run(hexDigits(key), answers, record, config, scorer, text, sum, outcome)
  if (inserted.changes === 1) return Number(inserted.lastInsertRowid)
  context
    .sql('UPDATE score SET body = ?, sum = ?, outcome = ? WHERE key = unhex(?)')
    .run(text, sum, outcome, hexDigits(key))
  return readRowId(context, 'score', digestBytes(key))
}

const scoresSql = `
  SELECT v.task, v.doc, s.id, s.body, s.sum, o.id AS old_id, o.sum AS old_sum,
    iif(o.body = s.body AND o.sum = s.sum, NULL, o.body) AS old_body,
    (SELECT i.request FROM item i WHERE i.run = @run AND i.task = v.task AND i.doc = v.doc
      ORDER BY i.choice DESC, i.sample DESC LIMIT 1) AS draw,
    (SELECT CASE WHEN instr(n.preimage, '"media":"') > 0 THEN n.preimage END
      FROM item i JOIN request r ON r.id = i.request JOIN instance n ON n.id = r.instance
      WHERE i.run = @run AND i.task = v.task AND i.doc = v.doc ORDER BY i.choice, i.sample LIMIT 1) AS input,
    (SELECT c.preimage FROM record c WHERE c.id = s.record AND instr(c.preimage, '"exampleMedia":') > 0) AS record
  FROM verdict v JOIN score s ON s.id = v.score
    LEFT JOIN verdict w ON w.judgement = @before AND w.task = v.task AND w.doc = v.doc LEFT JOIN score o ON o.id = w.score
  WHERE v.judgement = @judgement AND (v.task, v.doc) > (@task, @doc) ORDER BY v.task, v.doc LIMIT 1000`

/** Reads scores in the order of task and doc, one page at a time, so that no read transaction blocks writers. */
export async function* scores(
  context: Context,
  judgement: Judgement,
  { before, after }: { readonly before?: Judgement | undefined; readonly after?: DocPlace | undefined } = {},
): AsyncGenerator<PlacedScore> {
  const read = (last: PlacedRow | undefined): readonly PlacedRow[] => {
    const { task, doc } = last ?? { task: after?.task ?? -1, doc: after?.index ?? -1 }
    const { ref, run } = judgement
    return context.sql<PlacedRow>(scoresSql).all({ judgement: ref, run, before: before?.ref ?? null, task, doc })
  }
  for await (const rows of pages(read)) for (const row of rows) yield placedScore(context, row)
}
