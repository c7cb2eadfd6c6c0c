/** Describes how a run's model was shown videos: whole, or as frames. */
import { z } from 'zod'
import { present } from '../../../../base/values/present.js'
import { without } from '../../../../base/values/without.js'
import type { JsonObject, Run } from '../../../../cache/records.js'
import { frameArgs, frameFormat } from '../../../../stages/model/backends/frames/frame-arguments.js'
import type { MessageView, SampleView } from '../data/index.js'

const argumentsOfFrames = z.object(frameArgs)

/** Reads the run's video frame options. Undefined if videos were sent whole. */
function readFrameRules({ asked }: Run): JsonObject | undefined {
  const { args } = asked.model
  const parsed = argumentsOfFrames.safeParse(args)
  const format = parsed.success ? frameFormat(parsed.data) : undefined
  return format === undefined ? undefined : present(without(format, 'format'))
}

/** Adds the rules to each video of a sample, so that the viewer can show which frames were sent. */
export function withFrameRules(run: Run, view: SampleView): SampleView {
  const frames = readFrameRules(run)
  if (frames === undefined) return view
  const addFrames = (messages: readonly MessageView[]): readonly MessageView[] =>
    messages.map(message => ({
      ...message,
      parts: message.parts.map(part =>
        part.type === 'video' ? { ...part, derive: { ...part.derive, frames } } : part,
      ),
    }))
  return {
    ...view,
    items: view.items.map(item => ({
      ...item,
      messages: addFrames(item.messages),
      transcript: addFrames(item.transcript),
    })),
  }
}
