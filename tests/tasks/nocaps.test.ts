import { captionOptions } from '../support/golden-captions.js'
import { testGoldenTask } from '../support/golden-task.js'

testGoldenTask('nocaps', captionOptions('nocaps'))
