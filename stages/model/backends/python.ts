import { z } from 'zod'
import { affectsOutput } from '../backend-args.js'
import { defineBackend } from '../define-backend.js'
import { pythonArguments, pythonCode, requestsFor } from './python/python-arguments.js'
import { absolute, checkPython, classIn, identifyPython, openPython, type PythonModel } from './python/python-model.js'

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
  gathers: 'args',
  accepts: ['text', 'image', 'audio', 'video', 'file'],
  requests: ['generate_until', 'loglikelihood', 'loglikelihood_rolling', 'generate_visual_cot'],
  code: pythonCode,
  concurrency: 2,
  concurrencyWith: requestsFor,
  startsProgram: () => true,
  identify: (args, context) => identifyPython(makePythonModel(args), context),
  ready: (args, context) => checkPython(makePythonModel(args), context),
  open: (args, context) => openPython(makePythonModel(args), context),
})

function makePythonModel({
  file,
  class: name,
  batch_size,
  device,
  python: interpreter,
  args,
  processes,
  timeout,
}: Args): PythonModel {
  return {
    kind: 'python',
    name: classIn(file, name),
    python: interpreter,
    batchSize: batch_size,
    processes,
    timeout,
    options: { file: absolute(file), class: name, batch_size, device, args },
    identifying: { class: name, args },
  }
}
