import { z } from 'zod'
import { affectsOutput } from '../backend-args.js'
import { defineBackend } from '../define-backend.js'
import { pythonArguments } from './python/python-arguments.js'
import { absolute, classIn, runInPython } from './python/python-model.js'

const shape = {
  file: affectsOutput(z.string().describe('the Python file'), { names: 'path' }),
  class: affectsOutput(z.string().describe('the class in it')),
  ...pythonArguments,
}

type Args = z.output<z.ZodObject<typeof shape>>

/** A class of the user's own in a Python file, with the interface of lmms-eval's models or a method `generate`. */
export const python = defineBackend({
  id: 'python',
  summary: 'a class in a Python file, with the interface of lmms-eval or a method generate',
  args: shape,
  accepts: ['text', 'image', 'audio', 'video', 'file'],
  requests: ['generate_until', 'loglikelihood', 'loglikelihood_rolling', 'generate_visual_cot'],
  ...runInPython(({ file, class: name, batch_size, device, args }: Args) => ({
    kind: 'python',
    name: classIn(file, name),
    options: { file: absolute(file), class: name, batch_size, device, args },
    identifying: { class: name, args },
  })),
})
