import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { evaluate } from '../../../src/index.js'
import { hasPython, python } from '../../support/python-pool.js'
import { temporaryFolder } from '../../support/store.js'

const choosing = `task: chosen
dataset_path: ./docs.jsonl
doc_to_text: "{{question}}"
doc_to_target: answer
doc_to_choice: colours
output_type: multiple_choice
metric_list: [{metric: acc}]
`

describe.skipIf(!hasPython())('a model for speech recognition (needs python3)', () => {
  test('cannot score choices, which ends the run before the model is loaded', async () => {
    const folder = await temporaryFolder()
    await writeFile(join(folder, 'task.yaml'), choosing)
    await writeFile(join(folder, 'docs.jsonl'), JSON.stringify({ question: 'q', answer: 0, colours: ['red', 'blue'] }))
    const run = evaluate({
      store: join(folder, 'store'),
      tasks: [join(folder, 'task.yaml')],
      model: 'hf',
      // There are no weights in this folder, so that loading them would fail with another message.
      modelArgs: { pretrained: folder, task: 'automatic-speech-recognition', python },
    })
    await expect(run).rejects.toThrow(
      "task chosen needs loglikelihood, which model hf can't answer (it can: generate_until)",
    )
  })
})
