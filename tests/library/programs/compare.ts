import { compare, evaluate, mockModel } from 'pipeline'
import { colours } from './colours.task.ts'

const old = await evaluate({ model: mockModel({ model: 'old', reply: () => 'blue' }), tasks: [colours] })
const better = await evaluate({ model: mockModel({ model: 'new', replies: ['blue', 'green'] }), tasks: [colours] })

const { metrics } = await compare(old, better)
for (const { metric, a, b, difference, verdict, improved } of metrics)
  console.log(metric, a, b, difference, verdict, improved)
