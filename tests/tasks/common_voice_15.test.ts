import { testGoldenTask } from '../support/golden-task.js'

testGoldenTask('common_voice_15', { onlyAggregates: ['wer'] })
