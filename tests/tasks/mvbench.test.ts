import { testGoldenTask } from '../support/golden-task.js'

testGoldenTask('mvbench', {
  // The row says 0, but by its own scores four of eight answers are right. It shows that an empty answer counts.
  right: row => (row.id === 'mvbench/mvbench_action_antonym/agg/none/12' ? { mvbench_accuracy: 50 } : row.right),
})
