import type { JudgementStore } from '../../store.js'
import type { Context, Read } from '../connection/context.js'
import { docsToJudge } from './judge-feed.js'
import { closeJudgement, listJudgements, openJudgement, outcomes, reviseRecords } from './judgements.js'
import { samples } from './samples.js'
import { commitScores, scores } from './scores.js'

export const sqliteJudgements = (context: Context, read: Read): JudgementStore => ({
  open: (run, tasks) => openJudgement(context, run, tasks),
  list: run => read(() => listJudgements(context, run)),
  reviseRecords: (judgement, task, records) => reviseRecords(context, judgement, task, records),
  docsToJudge: (judgement, cursor, limit) => docsToJudge(context, judgement, cursor, limit),
  commitScores: (judgement, drafts) => commitScores(context, judgement, drafts),
  scores: (judgement, before) => scores(context, judgement, before),
  outcomes: judgement => read(() => outcomes(context, judgement)),
  close: (judgement, aggregates) => closeJudgement(context, judgement, aggregates),
  samples: (run, judgement) => samples(context, run, judgement),
})
