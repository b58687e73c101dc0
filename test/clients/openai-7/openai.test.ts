import OpenAI, { toFile } from 'openai'
import { testOfficialSdk } from './resources.ts'

testOfficialSdk('openai 7', OpenAI, toFile, import.meta.dirname)
