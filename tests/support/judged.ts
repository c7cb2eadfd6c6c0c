import { answerDigest, judgeRecordKey } from '../../cache/keys.js'
import { sha256 } from '../../cache/digest.js'
import type { AnsweredDoc, JudgeRecord, ResponseBody } from '../../cache/records.js'
import type { Judges } from '../../src/judging/judges.js'
import type { AskJudge } from '../../stages/judge/define/judge-model.js'

/** Makes a judge record with a target, and optionally choices and other fields. */
export const recordOf = (target: JudgeRecord['target'], rest: Partial<JudgeRecord> = {}): JudgeRecord => ({
  target,
  doc: {},
  ...rest,
})

export const textBody = (text: string): ResponseBody => ({ text, finishReason: 'stop' })

/** Makes the answer to a choice, with its log-likelihood. */
export const logprobBody = (logprob: number, isGreedy = false): ResponseBody => ({
  text: '',
  finishReason: 'stop',
  logprob,
  isGreedy,
})

/** Makes a doc with its answers: one log-likelihood per choice, or one text per sample. */
export function answeredDoc(
  record: JudgeRecord,
  answers: readonly (string | ResponseBody)[],
  place: { readonly index?: number; readonly task?: number } = {},
): AnsweredDoc {
  const { index = 0, task = 0 } = place
  return {
    task,
    index,
    id: `${index}`,
    recordKey: judgeRecordKey(record).key,
    record,
    answers: answers.map((answer, i) => {
      const body = typeof answer === 'string' ? textBody(answer) : answer
      const isChoice = body.logprob !== undefined
      const place = { choice: isChoice ? i : 0, sample: isChoice ? 0 : i }
      return { ...place, key: sha256(`response ${task} ${index} ${i}`), digest: answerDigest(body).key, body }
    }),
  }
}

/** Makes the judges of a command that has one judge model. */
export const judgedBy = (ask: AskJudge): Pick<Judges, 'select'> => ({
  select: () => ({ whole: [{ name: 'judge', ask, identity: {} }], byMetric: new Map() }),
})
