import { judgeFailed, type Verdict } from '../../stages/judge/define/define-metric.js'
import { binaryPrompt, type Compared } from '../../stages/judge/helpers/judge-prompts.js'
import { readBinaryReply } from '../../stages/judge/helpers/judge-replies.js'
import type { AskJudge } from '../../stages/judge/define/judge-model.js'

/** 1 if the judge model says that the prediction is correct, else 0. */
export async function judgedRight(compared: Compared, ask: AskJudge): Promise<number | Verdict> {
  const reply = await ask({ messages: binaryPrompt(compared) })
  if (reply.type === 'failed') return judgeFailed(reply.reason)
  const isFound = readBinaryReply(reply.text)
  return isFound === undefined ? judgeFailed('the judge model says neither 1 nor 0') : Number(isFound)
}
