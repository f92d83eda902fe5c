// All cases of the suite.
import type { Case } from './cases.ts';
import { CHAIN_CASES } from './chains.ts';
import { casesOf, documentWith, inputsFor } from './documents.ts';
import { FORM_GROUPS } from './formCases.ts';
import { POLICY_GROUPS } from './policyCases.ts';
import { TRUST_GROUPS } from './trustCases.ts';

const FROM_CHAINS = CHAIN_CASES.map(({ name, area, strength, clause, refused, chain }): Case => {
  const [root, intermediate, leaf] = chain;
  const document = documentWith({ authorities: [root, intermediate], leaf });
  return { name, area, strength, clause, refused, document, inputs: inputsFor([root]) };
});

export const CASES: readonly Case[] = [...casesOf([...FORM_GROUPS, ...TRUST_GROUPS, ...POLICY_GROUPS]), ...FROM_CHAINS];
