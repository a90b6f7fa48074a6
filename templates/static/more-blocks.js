/* The blocks of rows behind the first, of a table of very many: each is a script of its own. */

const others = (address, name) => {
  let here = 1;
  let isOver = false; // also when one of them has failed, and others still come
  const tenth = Math.ceil(blocks.length / 10); // a screen reader reads each change aloud
  const all = Promise.all(
    blocks.map(async (wanted, at) => {
      const own = address.replace(/(-further)?\.js\?.*/, `-${at + 2}$1.js?v=${wanted}`);
      const block = await fetched(own, name, JSON.stringify(wanted)); // as they state it
      here += 1;
      if (!isOver && here % tenth === 0) $("said").textContent = `Loading rows, ${here} of ${blocks.length + 1}`;
      return block;
    }),
  );
  const loaded = (given) => {
    if ($("rest")?.contains(document.activeElement)) table.closest(".scroll").focus({ preventScroll: true }); // it goes
    return given;
  };
  return all.then(loaded).finally(() => {
    isOver = true;
    $("said").textContent = "";
  });
};
