/* The models, or configurations, of the legends: each filters the runs. */
import { section, table } from "./charts-section.js";

/**
 * The models of a key of a legend: some lines stand for several.
 * @type {(key: HTMLElement) => string[]}
 */
export const modelsOf = (key) => JSON.parse(key.dataset.models ?? "[]");

/**
 * The keys of the legends.
 * @type {() => HTMLElement[]}
 */
export const keysOfLegends = () => [...section.parentElement.querySelectorAll(".legend > [data-color]")];

const models = new Set(section ? keysOfLegends().flatMap(modelsOf) : []);

/**
 * Whether it is a name of the legend of models.
 * @type {(name: string) => boolean}
 */
export const isModel = (name) => models.has(name);

/* Whether the legends have models. */
export const hasModels = () => models.size > 0;

/* The models that the table is filtered by. */
export const chosen = () => [table()?.state()[table().who()] ?? []].flat();

/** @type {(names: string[]) => void} */
export function choose(names) {
  const now = new Set(chosen());
  const all = names.every((model) => now.has(model));
  for (const model of names) now[all ? "delete" : "add"](model);
  table().filter({ [table().who()]: now.size ? [...now] : null });
}
