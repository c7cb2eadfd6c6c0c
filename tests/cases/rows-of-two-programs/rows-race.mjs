// Three programs evaluate the same rows([...]) on one store, eight times each with a model of their own.
import { spawn } from 'node:child_process'
import { join } from 'node:path'
const { evaluate, defineTask, rows, exactMatch, dummy } = await import(join(process.env.CHECKOUT, 'dist/program/index.js'))
const docs = Array.from({ length: 10 }, (_, i) => ({ id: `d${i}`, question: `Q ${i}?`, answer: `a${i % 7}` }))
const task = defineTask({
  name: 'race', module: import.meta.url, dataset: rows(docs),
  prompt: d => d.question, target: d => d.answer, metrics: { exact: exactMatch() },
})
const [, script, which] = process.argv
if (which !== undefined) {
  let failed = 0
  for (let i = 0; i < 8; i++)
    await evaluate({ model: dummy({ mode: 'fixed', text: `p${which}-${i}` }), tasks: [task], store: process.env.RACE_STORE }).catch(error => {
      if (++failed === 1) console.log(error.message.slice(0, 160))
    })
  process.exitCode = failed === 0 ? 0 : 1
} else {
  const run = k => new Promise(resolve => spawn(process.execPath, [script, String(k)], { stdio: 'inherit' }).on('exit', resolve))
  process.exitCode = (await Promise.all([0, 1, 2].map(run))).some(code => code !== 0) ? 1 : 0
}
