import { digestBytes } from '../../digest.js'
import { codeKey, judgeConfigKey } from '../../keys.js'
import type { Context } from '../connection/context.js'
import { renumberJudgements } from '../judging/judgements.js'
import { readRules } from '../../rows/judging/rules-text.js'
import { isFileSound, isProgressSound, progressSum } from '../rows.js'
import type { LinkCheck } from './checks.js'
import { serviceLinkChecks } from './service-checks.js'
import { expectBack, reopen, rewind, rewindGaps, invalidateDocs } from './invalidate.js'

interface NameRow {
  readonly name: string
}

const names = (context: Context, sql: string): readonly string[] =>
  context
    .sql<NameRow>(sql)
    .all()
    .map(({ name }) => name)

const ofDoc = "'doc ' || i.doc_id || ' of task ' || i.task || ' of run ' || i.run AS name"

/** Items whose request row is missing. The answer is kept, because the item's doc tells which request it belongs to. */
const lostRequests: LinkCheck = {
  table: 'request',
  find: context => names(context, `SELECT ${ofDoc} FROM item i WHERE ${isRequestLost}`),
  repair: context => {
    for (const { id, paid } of context
      .sql<{ id: number; paid: number }>(
        `SELECT i.id, EXISTS (SELECT 1 FROM response s WHERE s.request = i.request) AS paid FROM item i WHERE ${isRequestLost}`,
      )
      .all()) {
      if (paid === 1) rewind(context, 'i.id = ?', id)
      else invalidateDocs(context, 'i.id = ?', id)
    }
    expectBack(context)
  },
}
const isRequestLost = 'i.request IS NOT NULL AND NOT EXISTS (SELECT 1 FROM request r WHERE r.id = i.request)'

const lostRecords: LinkCheck = {
  table: 'record',
  find: context => names(context, `SELECT ${ofDoc} FROM item i WHERE ${isRecordLost}`),
  repair: context => {
    for (const { id } of context.sql<{ id: number }>(`SELECT i.id FROM item i WHERE ${isRecordLost}`).all())
      invalidateDocs(context, 'i.id = ?', id)
  },
}
const isRecordLost = 'NOT EXISTS (SELECT 1 FROM record c WHERE c.id = i.record)'

const lostRuns: LinkCheck = {
  table: 'item',
  find: context =>
    names(context, `SELECT ${ofDoc} FROM item i WHERE NOT EXISTS (SELECT 1 FROM run r WHERE r.id = i.run)`),
  repair: context => {
    for (const child of ['failure', 'item', 'input_progress', 'run_file'])
      context.sql(`DELETE FROM ${child} WHERE run NOT IN (SELECT id FROM run)`).run()
  },
}

/** Answers whose request can no longer be determined. */
const lostAnswers: LinkCheck = {
  table: 'response',
  find: context => names(context, `SELECT 'number ' || s.seq AS name FROM response s WHERE ${isAnswerLost}`),
  repair: context => void context.sql(`DELETE FROM response AS s WHERE ${isAnswerLost}`).run(),
}
const isAnswerLost =
  'NOT EXISTS (SELECT 1 FROM request r WHERE r.id = s.request) AND NOT EXISTS (SELECT 1 FROM item i WHERE i.request = s.request)'

interface LinkedDoc {
  readonly judgement: number
  readonly task: number
  readonly doc: number
}

/** Verdicts whose doc or score is missing, or whose score belongs to something else. */
const verdicts: LinkCheck = {
  table: 'verdict',
  find: context =>
    wrongVerdicts(context).map(({ judgement, task, doc }) => `of doc ${doc} of task ${task} in judgement ${judgement}`),
  repair: context => {
    for (const { judgement, task, doc } of wrongVerdicts(context)) {
      reopen(context, '?', judgement)
      for (const table of ['verdict', 'revision'])
        context.sql(`DELETE FROM ${table} WHERE judgement = ? AND task = ? AND doc = ?`).run(judgement, task, doc)
    }
  },
}

const wrongVerdictsSql = `
  SELECT v.judgement, v.task, v.doc FROM verdict v LEFT JOIN judgement j ON j.id = v.judgement LEFT JOIN score z ON z.id = v.score
    LEFT JOIN revision o ON o.judgement = v.judgement AND o.task = v.task AND o.doc = v.doc
  WHERE j.id IS NULL OR z.id IS NULL OR z.record IS NOT coalesce(o.record,
    (SELECT i.record FROM item i WHERE i.run = j.run AND i.task = v.task AND i.doc = v.doc ORDER BY i.choice, i.sample LIMIT 1))
  UNION SELECT o.judgement, o.task, o.doc FROM revision o
  WHERE NOT EXISTS (SELECT 1 FROM judgement j WHERE j.id = o.judgement) OR NOT EXISTS (SELECT 1 FROM record c WHERE c.id = o.record)`

function wrongVerdicts(context: Context): readonly LinkedDoc[] {
  const places = [...context.sql<LinkedDoc>(wrongVerdictsSql).all()]
  const judgements = context
    .sql<{ id: number; tasks: string }>('SELECT id, tasks FROM judgement WHERE json_valid(tasks)')
    .all()
  for (const { id, tasks } of judgements) {
    for (const [task, { config, scorer }] of readRules(tasks).entries())
      places.push(
        ...context
          .sql<LinkedDoc>(
            `SELECT v.judgement, v.task, v.doc FROM verdict v JOIN score z ON z.id = v.score
             WHERE v.judgement = ? AND v.task = ? AND (z.config IS NOT (SELECT id FROM preimage WHERE key = ?)
               OR z.scorer IS NOT (SELECT id FROM preimage WHERE key = ?))`,
          )
          .all(id, task, digestBytes(judgeConfigKey(config).key), digestBytes(codeKey(scorer).key)),
      )
  }
  return places
}

/** Progress that is damaged, that exceeds the docs in the store, or that belongs to no task. */
const progress: LinkCheck = {
  table: 'input_progress',
  find: context =>
    names(
      context,
      `SELECT 'task ' || p.task || ' of run ' || p.run AS name FROM input_progress p WHERE ${isWrongProgress}`,
    ),
  repair: context => {
    context
      .sql(
        `UPDATE input_progress AS p SET docs = 0, finished = 0, sum = ${progressSum('0', '0')} WHERE ${isWrongProgress} AND ${isOfTask}`,
      )
      .run()
    context.sql(`DELETE FROM input_progress AS p WHERE NOT (${isOfTask})`).run()
  },
}
const isOfTask =
  "EXISTS (SELECT 1 FROM run r WHERE r.id = p.run AND (NOT json_valid(r.asked) OR (typeof(p.task) = 'integer' AND p.task BETWEEN 0 AND json_array_length(r.asked, '$.tasks') - 1)))"
const isWrongProgress = `(NOT ${isOfTask} OR typeof(p.docs) <> 'integer' OR p.finished NOT IN (0, 1) OR p.docs < 0 OR NOT ${isProgressSound('p')}
  OR p.docs > (SELECT coalesce(max(i.doc) + 1, 0) FROM item i WHERE i.run = p.run AND i.task = p.task))`

/** Damaged entries of the files behind a run's media. They are written again when the docs are read again. */
const files: LinkCheck = {
  table: 'run_file',
  find: context =>
    names(context, `SELECT f.path || ' of run ' || f.run AS name FROM run_file f WHERE NOT ${isFileSound('f')}`),
  repair: context => {
    const runs = `SELECT f.run FROM run_file f WHERE NOT ${isFileSound('f')}`
    context
      .sql(`UPDATE input_progress SET docs = 0, finished = 0, sum = ${progressSum('0', '0')} WHERE run IN (${runs})`)
      .run()
    context.sql(`DELETE FROM run_file AS f WHERE NOT ${isFileSound('f')}`).run()
  },
}

const numbering: LinkCheck = {
  table: 'judgement',
  find: context =>
    names(
      context,
      "SELECT 'numbers of run ' || run AS name FROM judgement GROUP BY run HAVING min(number) <> 1 OR max(number) <> count(*) OR max(typeof(number)) <> 'integer'",
    ),
  repair: context => {
    for (const { run } of context.sql<{ run: number }>('SELECT DISTINCT run FROM judgement').all())
      renumberJudgements(context, run)
  },
}

/** Runs that lists miss, or that they show wrongly. */
const listed: LinkCheck = {
  table: 'run_list',
  find: context =>
    names(
      context,
      `SELECT 'of run ' || run AS name FROM (SELECT * FROM listed_run EXCEPT SELECT * FROM run_list)
       UNION SELECT 'of run ' || run FROM (SELECT * FROM run_list EXCEPT SELECT * FROM listed_run)`,
    ),
  repair: context => {
    context.sql('DELETE FROM run_list').run()
    context.sql('INSERT INTO run_list SELECT * FROM listed_run').run()
  },
}

/** The order matters: each check sees the deletions of the ones before it. */
export const linkChecks: readonly LinkCheck[] = [
  lostRuns,
  listed,
  lostRequests,
  lostRecords,
  lostAnswers,
  numbering,
  verdicts,
  progress,
  files,
  ...serviceLinkChecks,
]

/** Deletes rows that nothing refers to, and rows that can be computed again. */
export function tidy(context: Context): void {
  const orphans = [
    ['lease', 'request', 'request'],
    ['batch_request', 'request', 'request'],
    ['lease', 'owner', 'owner'],
    ['input_lease', 'owner', 'owner'],
    ['working', 'owner', 'owner'],
    ['working', 'run', 'run'],
    ['run_tag', 'run', 'run'],
  ] as const
  for (const [child, column, parent] of orphans)
    context.sql(`DELETE FROM ${child} WHERE ${column} NOT IN (SELECT id FROM ${parent})`).run()
  context.sql('DELETE FROM file_memo').run()
  rewindGaps(context)
}
