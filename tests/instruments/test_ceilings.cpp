// The ceilings of a cell: which moves they are, how the fastest way is found, and what a case is compared
// with.
#include "tests/instruments/instruments_support.hpp"

namespace redbench {
namespace {

class Ceilings : public Instrumented {
 protected:
  /// The record of a case that moves all bytes of the cell in 1000 ns, sampled with movers of the usual
  /// rates.
  Record of(std::vector<Span> inputs, std::size_t result_bytes) {
    meter_.use(fake_movers(time_, rates, moves_));
    const Sampling sampling = this->sampling(std::move(inputs), result_bytes);
    const std::unique_ptr<Instrument> ceilings = make_ceilings(sampling);
    std::vector<Series> series{{.sample = [] { return 1000.0; }, .name = "a case"}};
    ceilings->start(series);
    sample_in_turn(series, options_, 1,
                   [](Series& c, const std::string& why) { ADD_FAILURE() << c.name << why; });
    std::size_t bytes = result_bytes;
    for (const Span& span : sampling.inputs) bytes += span.bytes;
    Record record{{"bandwidth_gb_per_s", double(bytes) / 1000}};
    ceilings->stop(sampled(), record);
    return record;
  }
};

// 2000 GB/s read, 1000 written, 800 both at once, whose bytes both count. At most a hundredth written is no
// mix.
TEST_F(Ceilings, ACellIsHeldAgainstTheMoveThatIsLikeIt) {
  struct {
    const char* cell;
    std::size_t in, out;
    double own;  // of the mix; 0: none
    double percent;
  } const rows[] = {{"reads", mb, 16, 0, 100 * 1000.016 / 2000},
                    {"reads, writes a hundredth", 1600 * 100, 1600, 0, 100 * 161.6 / 2000},
                    {"reads, writes more", 1600 * 100, 1616, 800.0, 100 * 161.616 / 800},
                    {"reads and writes", mb, mb / 4, 800.0, 156.25},
                    {"copies", mb, mb, 800.0, 250},
                    {"writes", 0, mb, 1000.0, 100}};
  for (const auto& row : rows) {
    moves_.clear();
    const Record record = of(row.in ? std::vector<Span>{span(row.in)} : std::vector<Span>{}, row.out);
    EXPECT_NEAR(record.value("ceiling_mix_gb_per_s", 0.0), row.own, 1e-9) << row.cell;
    EXPECT_EQ(record.contains("ceiling_mix_by"), row.own > 0) << row.cell;
    EXPECT_NEAR(record["percent_of_ceiling"], row.percent, 1e-9) << row.cell;
    EXPECT_EQ(record["above_ceiling"], row.percent > 100) << row.cell;
    EXPECT_NEAR(record.value("ceiling_read_gb_per_s", 0.0), row.in ? 2000 : 0, 1e-9) << row.cell;
    EXPECT_EQ(record.value("ceiling_read_by", ""), row.in ? "fast" : "") << row.cell;
    EXPECT_NEAR(record.value("ceiling_copy_gb_per_s", 0.0), row.in ? 800 : 0, 1e-9) << row.cell;
  }
}

// Ten ways of each move, of which way 9 is the fastest: each is loaded once and tried once. The five fastest
// are tried again, and four of these three times more. Each sample is a sign of life, as one may take a
// second.
TEST_F(Ceilings, AreSearchedForAmongTheFasterHalf) {
  std::vector<int> enqueued(10);
  meter_.use([&](const Move& move) {
    const std::string what = !move.bytes_written() ? "reads" : !move.bytes_read() ? "writes" : "mixes";
    std::vector<Mover> ways;
    for (int way = 0; way < 10; ++way)
      ways.push_back({fmt::format("{} by way {}", what, way), [&, way] {
                        ++enqueued[std::size_t(way)];
                        time_.ns += 1000 * (10 - way);
                      }});
    return ways;
  });
  Sampling sampling = this->sampling({span(mb)}, mb / 4);
  int signs = 0;
  sampling.idle = [&] { ++signs; };
  const std::unique_ptr<Instrument> ceilings = make_ceilings(sampling);
  std::vector<Series> series{{.sample = [] { return 1.0; }, .name = "a case"}};
  ceilings->start(series);
  std::vector<int> of_four_moves{2, 2, 2, 2, 2, 3, 6, 6, 6, 6};
  for (int& count : of_four_moves) count *= 4;
  EXPECT_EQ(enqueued, of_four_moves);
  EXPECT_EQ(signs, 4 * (10 + 5 + 4 + 4 + 4));
  EXPECT_EQ(text(series),
            "a case, the ceiling (read)*, the ceiling (copy), the ceiling (write), the ceiling (mix)*");
  EXPECT_EQ(series.at(1).sample(), 1000) << "by way 9";
  Record record{{"bandwidth_gb_per_s", 900.0}}, expected = record;
  ceilings->stop(sampled(), record);
  EXPECT_EQ(record, expected) << "nothing was sampled";
  series[1].samples = {500, 700, 400};
  series[2].samples = {4000};
  series[3].samples = {640};
  ceilings->stop(sampled(), record);
  expected["ceiling_read_gb_per_s"] = 2000.0;
  expected["ceiling_read_by"] = "reads by way 9";
  expected["ceiling_copy_gb_per_s"] = 500.0;
  expected["ceiling_write_gb_per_s"] = 1562.5;
  EXPECT_EQ(record, expected) << "its own, the mix, was not sampled";
  series[4].samples = {1000};
  ceilings->stop(sampled(), record);
  expected["ceiling_mix_gb_per_s"] = 1250.0;
  expected["ceiling_mix_by"] = "mixes by way 9";
  expected["percent_of_ceiling"] = 72.0;
  expected["above_ceiling"] = false;
  EXPECT_EQ(record, expected);

  std::ranges::fill(enqueued, 0);
  std::vector<Series> of_next_cell;
  make_ceilings(sampling)->start(of_next_cell);
  EXPECT_EQ(enqueued, (std::vector<int>{0, 0, 0, 0, 0, 0, 0, 0, 0, 4})) << "loaded, not searched for again";
  EXPECT_EQ(of_next_cell.size(), 4u);
  sampling.pages = Pages::small;
  make_ceilings(sampling)->start(of_next_cell);
  EXPECT_EQ(enqueued[0], 4 * 2) << "in other pages another way may be the fastest";
  make_ceilings(this->sampling({span(2 * mb)}, mb / 4))->start(of_next_cell);
  EXPECT_EQ(enqueued[0], 4 * 4) << "and for other bytes";
  make_ceilings(this->sampling({span(2 * mb)}, mb / 4, Mode::warm))->start(of_next_cell);
  EXPECT_EQ(enqueued[0], 4 * 7) << "and in another mode, whose samples have two runs each";
}

// A page is the least that is moved, and memory to write to has an eighth to spare. What a cell is compared
// with takes the rounds that the cases need (*).
TEST_F(Ceilings, NeedAPageAndRoom) {
  meter_.use(fake_movers(time_, rates, moves_));
  const std::string read = "the ceiling (read)*", copy = ", the ceiling (copy)",
                    write = ", the ceiling (write)", mix = ", the ceiling (mix)*";
  struct {
    std::size_t in, out, free;
    bool full;
    std::string ceilings;  // and the bytes read and written
  } const rows[] = {
      {4096, 16, 1 << 30, false, read + copy + write + "; 4096+0 4096+4096 0+4096"},
      {4080, 16, 1 << 30, false, ";"},
      {40'000, 40'000, 1 << 30, false, read + copy + "*" + write + "; 40000+0 40000+40000 0+40000"},
      {8'000, 40'000, 1 << 30, false, read + copy + write + mix + "; 8000+0 8000+8000 0+8000 8000+40000"},
      {40'000, 8'000, 45'001, false, read + copy + write + mix + "; 40000+0 40000+40000 0+40000 40000+8000"},
      {40'000, 8'000, 45'000, false, read + mix + "; 40000+0 40000+8000"},  // as little as will do
      {40'000, 16, 45'000, false, read + "; 40000+0"},
      {40'000, 40'000, 45'000, false, read + "; 40000+0"},
      {40'000, 8'000, 9'001, false, read + mix + "; 40000+0 40000+8000"},
      {40'000, 8'000, 9'000, false, read + "; 40000+0"},
      {40'000, 8'000, 1 << 30, true, read + "; 40000+0"},  // though there seemed to be room
  };
  for (const auto& row : rows) {
    moves_.clear();
    device_.free_ = row.free;
    device_.full_ = row.full;
    const Sampling sampling = this->sampling({span(row.in)}, row.out);
    std::unique_ptr<Instrument> ceilings = make_ceilings(sampling);
    std::vector<Series> series;
    ceilings->start(series);
    std::string all = text(series) + ";";
    for (const Move& move : moves_) all += fmt::format(" {}+{}", move.bytes_read(), move.bytes_written());
    EXPECT_EQ(all, row.ceilings) << row.in << ' ' << row.out << ' ' << row.free;
    ceilings.reset();
    EXPECT_EQ(device_.held_, 0) << "the cells that follow need the memory";
  }
}

}  // namespace
}  // namespace redbench
