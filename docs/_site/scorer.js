/* How the search orders its results: titles first, pages about tasks before the reference that lists every word. */
const REFERENCE = ["commands", "json", "model", "exit-codes", "files", "architecture", "lab", "check_raid"];
const EXAMPLES = ["tour", "fleet_sql", "ansible"];
var Scorer = {
  score: ([page, , , , score]) => score - (REFERENCE.includes(page) ? 12 : EXAMPLES.includes(page) ? 8 : 0),
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 30,
  partialTitle: 20,
  term: 5,
  partialTerm: 2,
};
