import { pythonRegex } from '../../base/python/python-regex.js'
import { stripWhiteSpace } from '../../base/python/white-space.js'
import type { Doc, TaskKwargs } from '../../stages/input/tasks/doc.js'
import type { Verdict } from '../../stages/judge/define/define-metric.js'
import { stripVqaPunctuation } from '../../stages/judge/metrics/vqa-accuracy.js'
import { stripCharacter } from '../../stages/judge/text/code-points.js'
import { letterScore } from '../_shared/letters.js'
import { mediaPath } from '../_shared/values.js'
import { bracketed, letter, text, texts } from '../_shared/options.js'

/** The folders of the videos of each skill. */
const folders: Readonly<Record<string, string>> = {
  object_interaction: 'star/Charades_segment',
  action_sequence: 'star/Charades_segment',
  action_prediction: 'star/Charades_segment',
  action_localization: 'sta/sta_video_segment',
  moving_count: 'clevrer/video_validation',
  fine_grained_pose: 'nturgbd_convert',
  character_order: 'perception/videos',
  object_shuffle: 'perception/videos',
  egocentric_navigation: 'vlnqa',
  moving_direction: 'clevrer/video_validation',
  episodic_reasoning: 'tvqa/video_fps3_hq_segment',
  fine_grained_action: 'Moments_in_Time_Raw/videos',
  scene_transition: 'scene_qa/video',
  state_change: 'perception/videos',
  moving_attribute: 'clevrer/video_validation',
  action_antonym: 'ssv2_video_mp4',
  unexpected_action: 'FunQA_test/test',
  counterfactual_inference: 'clevrer/video_validation',
  object_existence: 'clevrer/video_validation',
  action_count: 'perception/videos',
}

export function video(doc: Doc, kwargs: TaskKwargs): readonly string[] {
  const skill = text(kwargs['sub_task'], 'sub_task')
  const folder = folders[skill]
  if (folder === undefined) throw new Error(`MVBench has no skill "${skill}"`)
  return [mediaPath(folder, doc['video'], 'video')]
}

export function questionWithOptions(doc: Doc, kwargs: TaskKwargs): string {
  const options = bracketed(texts(doc['candidates'], 'candidates')).map(option => `${option}\n`)
  return `Question:${text(doc['question'], 'question')}\nOption:\n${options.join('')}${text(kwargs['post_prompt'], 'post_prompt')}`
}

/** Scores whether the answer names the right option. An empty answer is wrong. */
export function namesRightLetter(doc: Doc, [answer = '']: readonly string[]): Record<string, number | Verdict> {
  const right = texts(doc['candidates'], 'candidates').indexOf(text(doc['answer'], 'answer'))
  if (right < 0) throw new Error('the field "answer" is none of the field "candidates"')
  return { mvbench_accuracy: letterScore(letterNamed(answer), letter(right)) }
}

const lettered = pythonRegex(String.raw`(?i)^([A-E])\.\s*(.+)$`)
const alone = pythonRegex(String.raw`(?i)\b([A-E])\b`)

/**
 * The letter in front of `B. teal`, or else the first of A to E, small ones too, that stands alone once punctuation is gone.
 *
 * Source: MVBench's own script, as lmms-eval 0.7.2 has it in `tasks/mvbench/utils.py`.
 */
function letterNamed(answer: string): string | undefined {
  const start = lettered.exec(stripWhiteSpace(answer))?.[1]
  if (start !== undefined) return start.toUpperCase()
  const plain = stripVqaPunctuation(stripWhiteSpace(answer.replace(/[\n\t]/g, ' ')))
  const bare = ["'", '"', ')', '('].reduce(stripCharacter, plain)
  return alone.exec(bare)?.[1]?.toUpperCase()
}
