/** What reviewers should call the same product. */
export const Rule = () => (
  <details class="desk-rule">
    <summary>What counts as the same product?</summary>
    <p>
      Two listings are the same product if somebody who wants one would accept the other without a second
      thought, whatever shop it comes from.
    </p>
    <dl>
      <dt>Different products</dt>
      <dd>
        Another maker, model or variant (Pro, Mini, Mark II); another size, capacity or memory; another number
        of pieces; another colour; used or refurbished instead of new; an accessory, a part or a bundle
        instead of the product alone.
      </dd>
      <dt>The same product</dt>
      <dd>
        Another price, shop, seller, warranty or delivery; other words for the same thing; something that only
        one of the listings states. A set for another country (“SG set”, “export set”) is the same product,
        unless its model number, plug or language differs.
      </dd>
      <dt>Rows “as read”</dt>
      <dd>
        What the service reads from the name and the attributes. It may have misread them: the listing itself
        counts.
      </dd>
      <dt>Skip</dt>
      <dd>
        The listings and their pages at the shops do not say enough. Other reviewers still see the pair.
      </dd>
    </dl>
  </details>
);
