/* The rows that a query finds, a mark for each: those of the search; where the site has none, as in one file, those
   whose columns have the words. Null where the query has no word. */

const byColumns = (query) => {
  const terms = termsOf(query, columns.filter(({ key, isCategory }) => isCategory && !FIELDS.includes(key)).map(({ key }) => key));
  const texts = {}; // by field, a text of words for each row
  const textsOf = (field) => {
    const own = field ? columns.filter(({ key }) => inQuery(key) === field) : columns.filter(({ key, isCategory }) => isCategory || key === "name" || key === "note");
    return (texts[field] ??= ids.map((_, i) => {
      const words = wordsOf(own.flatMap((column) => [column.text(i), column.isCategory ? column.value(i) : column.about?.(i)]).join(" "));
      return words.length ? ` ${words.join(" ")} ` : "";
    }));
  };
  const tests = terms.map(({ word, goesOn }) => {
    const field = fieldOf(word);
    const sought = ` ${unmarked(word).replace(".", " ")}${goesOn ? "" : " "}`;
    return (i) => textsOf(field)[i].includes(sought);
  });
  return tests.length ? ids.map((_, i) => tests.every((test) => test(i))) : null;
};

const query = async (asked) => {
  const link = document.querySelector("[data-search]");
  if (!link) return byColumns(asked);
  await load(link.dataset.search);
  const found = await window.sitegenSearch.ids(asked);
  return found && ids.map((id) => found.has(id));
};
