import OpenAI, { toFile } from 'openai'
import { testOfficialSdk } from '../openai-7/resources.ts'

testOfficialSdk('openai 6', OpenAI, toFile, import.meta.dirname)
