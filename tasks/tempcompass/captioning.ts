import { stripWhiteSpace } from '../../base/python/white-space.js'
import { judgeFailed, type Verdict } from '../../stages/judge/define/define-metric.js'
import type { AskJudge } from '../../stages/judge/define/judge-model.js'
import { askAssistant } from './judge.js'

/** The words of the benchmark, slips and spaces too. */
const task = `
    You will receive a video description and a multi-choice question. Your task is to choose the correct answer and briefly explain the reason why you choose the answer.     If none of the choice candidates are correct or the video description lacks enough information to answer the question, just answer "None of the choices are correct".     Please organize your response in this format:
    \`\`\`
    Reasoning: [Your reason to obtain the answer]
    Answer: [Your answer]
    \`\`\`

    Here are some examples of video description, multi-choice question and the expected answer:
    \`\`\`
    Video Description: A person is palying football.
    Multi-Choice Question:
    What is the person doing in the video?
    A. cooking
    B. palying football
    C. playing basketball
    D. reading book
    Reasoning: The video description mentions that the person is playing football.
    Answer: B. palying football

    Video Description: A bird is flying clockwise.
    Multi-Choice Question:
    In which direction is the bird flying?
    A. backwark
    B. counter-clockwise
    C. clockwise
    D. downward
    Reasoning: The video description mentions that the bird is flying clockwise
    Answer: C. clockwise

    Video Description: An air balloon is inflating.
    Multi-Choice Question:
    What is happening to the air balloon?
    A. exploding
    B. getting smaller
    C. flying
    Reasoning: The video description mentions that the air balloon is inflating, while none of the coices can be explained as inflating.
    Answer: None of the choices are correct
    \`\`\`
    `

/**
 * Scores whether the judge, who knows only the caption, chooses the right option. The judge's line with "Answer" counts, or else the whole
 * reply if it names just one letter with a dot.
 */
export async function captionTells(
  { caption, question, right }: { readonly caption: string; readonly question: string; readonly right: string },
  ask: AskJudge,
): Promise<number | Verdict> {
  const prompt = `${task}\nVideo Description:${caption}\nMulti-Choice Question:\n${question}\nAnswer:`
  const reply = await askAssistant(ask, prompt)
  if (reply.type === 'failed') return judgeFailed(reply.reason)
  if (reply.text === '') return judgeFailed('the judge says nothing')
  const line = reply.text.split('\n').findLast(one => one.includes('Answer'))
  const chosen = line === undefined ? reply.text : stripWhiteSpace(line.replaceAll('Answer:', ''))
  const letters = chosen.match(/[A-D]\./g) ?? []
  return Number(letters.length === 1 && chosen.split('. ')[0] === right.split('. ')[0])
}
